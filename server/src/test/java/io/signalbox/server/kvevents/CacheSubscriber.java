// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.kvevents;

import io.signalbox.kv.hash.BlockHasher;
import io.signalbox.scheduler.SchedulerConfig;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A router that knows one rank by its messages alone. It computes every block hash from the tokens again. */
final class CacheSubscriber
{
    private final Map<Long, Stored> cached = new HashMap<>();
    private final BlockHasher hasher;
    private final int blockTokens;
    private int checked;

    private record Stored(long parent, int[] tokens)
    {
    }

    CacheSubscriber(final SchedulerConfig config)
    {
        blockTokens = config.blockSizeTokens();
        hasher = BlockHasher.of(config.blockHash(), blockTokens);
    }

    /** Hashes of the blocks that the rank has, as far as this subscriber knows. */
    TreeSet<Long> hashes()
    {
        return new TreeSet<>(cached.keySet());
    }

    /** Hashes that were computed again. */
    int checked()
    {
        return checked;
    }

    /** @param payload of a batch, with events as maps. */
    void apply(final byte[] payload) throws IOException
    {
        try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(payload))
        {
            final List<Value> batch = unpacker.unpackValue().asArrayValue().list();
            assertTrue(batch.get(0).isFloatValue());
            for (final Value event : batch.get(1).asArrayValue().list())
            {
                apply(event.asMapValue().map());
            }
        }
    }

    private void apply(final Map<Value, Value> event)
    {
        final Value none = ValueFactory.newNil();
        final long[] hashes = event.getOrDefault(name("block_hashes"), ValueFactory.emptyArray()).asArrayValue().list()
            .stream().mapToLong(value -> value.asIntegerValue().toLong()).toArray();
        switch (event.get(name("type")).asStringValue().asString())
        {
            case "BlockStored" ->
            {
                final Value parent = event.getOrDefault(name("parent_block_hash"), none);
                store(hashes, parent.isNilValue() ? 0 : parent.asIntegerValue().toLong(),
                    event.get(name("token_ids")).asArrayValue().list().stream()
                        .mapToInt(value -> value.asIntegerValue().toInt()).toArray());
            }
            case "BlockRemoved" -> Arrays.stream(hashes).forEach(cached::remove);
            case "AllBlocksCleared" -> cached.clear();
            default -> throw new AssertionError(event.toString());
        }
    }

    private static Value name(final String text)
    {
        return ValueFactory.newString(text);
    }

    /** As a snapshot or a batch has it. */
    void store(final long[] hashes, final long parent, final int[] tokens)
    {
        assertEquals(hashes.length * blockTokens, tokens.length);
        long before = parent;
        for (int i = 0; i < hashes.length; i++)
        {
            cached.put(hashes[i], new Stored(before, Arrays.copyOfRange(tokens, i * blockTokens, (i + 1) * blockTokens)));
            check(hashes[i]);
            before = hashes[i];
        }
    }

    /** If all blocks ahead of it are cached, the hash is that of their tokens and its own. */
    private void check(final long hash)
    {
        final Deque<int[]> chain = new ArrayDeque<>();
        long at = hash;
        while (at != 0 && cached.containsKey(at))
        {
            chain.addFirst(cached.get(at).tokens);
            at = cached.get(at).parent;
        }
        if (at == 0)
        {
            final int[] prefix = chain.stream().flatMapToInt(Arrays::stream).toArray();
            final long[] hashes = new long[chain.size()];
            hasher.hash(prefix, prefix.length, new byte[0], hashes);
            assertEquals(hash, hashes[hashes.length - 1], "the tokens have another hash");
            checked++;
        }
    }
}
