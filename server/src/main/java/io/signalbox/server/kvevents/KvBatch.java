// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.kvevents;

import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** The events of one rank from one group, under one number. Consumers get them as MessagePack. */
final class KvBatch
{
    /** Of a payload: what waits for a slow subscriber is bounded by a number of batches. */
    static final int MOST_BYTES = 16 << 10;

    /** Of the time, the rank and the headers of arrays. */
    private static final int HEAD_BYTES = 32;
    /** Of a map without its arrays' contents. */
    private static final int EVENT_BYTES = 256;
    private static final int NUMBER_BYTES = 9;
    private static final int TOKEN_BYTES = 5;
    /** Of the array around the key of a block, and of the length of a text. */
    private static final int TEXT_BYTES = 6;
    private static final int CHARACTER_BYTES = 3;

    private final long sequence;
    private final double seconds;
    private final int rank;
    /** {@code null} once the payload is made. */
    private List<KvEvent> events;
    private byte[] payload;

    /** @param seconds since 1970. */
    KvBatch(final long sequence, final double seconds, final int rank, final List<KvEvent> events)
    {
        this.sequence = sequence;
        this.seconds = seconds;
        this.rank = rank;
        this.events = events;
    }

    long sequence()
    {
        return sequence;
    }

    /** The most bytes of the payload. */
    static long bytes(final List<KvEvent> events)
    {
        long bytes = HEAD_BYTES;
        for (final KvEvent event : events)
        {
            bytes += bytes(event);
        }
        return bytes;
    }

    private static long bytes(final KvEvent event)
    {
        long bytes = EVENT_BYTES;
        if (event instanceof KvEvent.Stored stored)
        {
            for (final CachedBlock block : stored.blocks())
            {
                bytes += bytes(block);
            }
        }
        else if (event instanceof KvEvent.Removed removed)
        {
            bytes += (long)NUMBER_BYTES * removed.hashes().size();
        }
        return bytes;
    }

    private static long bytes(final CachedBlock block)
    {
        return NUMBER_BYTES + (long)TOKEN_BYTES * block.tokens().length + TEXT_BYTES +
            (block.cacheKey() == null ? 0 : (long)CHARACTER_BYTES * block.cacheKey().length());
    }

    /** Of a payload with one block, whose client gave the longest key. */
    static int mostBytesOfABlock(final int blockTokens)
    {
        return HEAD_BYTES + EVENT_BYTES + NUMBER_BYTES + TOKEN_BYTES * blockTokens + TEXT_BYTES +
            CHARACTER_BYTES * KvEvents.MOST_KEY_CHARACTERS;
    }

    /**
     * The same events in parts of at most {@link #MOST_BYTES}, or of one block or hash that is longer. A chain of blocks may
     * be cut: each block names its parent.
     */
    static List<List<KvEvent>> parts(final List<KvEvent> events)
    {
        if (bytes(events) <= MOST_BYTES)
        {
            return List.of(events);
        }
        final List<List<KvEvent>> parts = new ArrayList<>();
        for (final KvEvent event : events)
        {
            if (event instanceof KvEvent.Stored stored)
            {
                runs(stored.blocks(), KvBatch::bytes).forEach(run -> parts.add(List.of(new KvEvent.Stored(run))));
            }
            else if (event instanceof KvEvent.Removed removed)
            {
                runs(removed.hashes(), hash -> NUMBER_BYTES)
                    .forEach(run -> parts.add(List.of(new KvEvent.Removed(run))));
            }
            else
            {
                parts.add(List.of(event));
            }
        }
        return parts;
    }

    private static <T> List<List<T>> runs(final List<T> items, final ToLongFunction<T> size)
    {
        final List<List<T>> runs = new ArrayList<>();
        int first = 0;
        long bytes = HEAD_BYTES + EVENT_BYTES;
        for (int i = 0; i < items.size(); i++)
        {
            final long next = size.applyAsLong(items.get(i));
            if (i > first && bytes + next > MOST_BYTES)
            {
                runs.add(List.copyOf(items.subList(first, i)));
                first = i;
                bytes = HEAD_BYTES + EVENT_BYTES;
            }
            bytes += next;
        }
        runs.add(List.copyOf(items.subList(first, items.size())));
        return runs;
    }

    /** Not a copy. Made when it is first asked for, by a thread that does not serve the engine. */
    synchronized byte[] payload(final KvEventConfig.Form form)
    {
        if (payload == null)
        {
            try (MessageBufferPacker packer = MessagePack.newDefaultBufferPacker())
            {
                packer.packArrayHeader(3).packDouble(seconds).packArrayHeader(events.size());
                for (final KvEvent event : events)
                {
                    pack(packer, form == KvEventConfig.Form.MAP ? KvEventFields.of(event) : KvEventFields.positional(event));
                }
                packer.packInt(rank);
                payload = packer.toByteArray();
                events = null;
            }
            catch (final IOException e)
            {
                throw new UncheckedIOException(e);
            }
        }
        return payload;
    }

    private static void pack(final MessageBufferPacker packer, final Object value) throws IOException
    {
        if (value == null)
        {
            packer.packNil();
        }
        else if (value instanceof Map<?, ?> fields)
        {
            packer.packMapHeader(fields.size());
            for (final Map.Entry<?, ?> field : fields.entrySet())
            {
                packer.packString((String)field.getKey());
                pack(packer, field.getValue());
            }
        }
        else if (value instanceof List<?> values)
        {
            packer.packArrayHeader(values.size());
            for (final Object part : values)
            {
                pack(packer, part);
            }
        }
        else
        {
            packScalar(packer, value);
        }
    }

    private static void packScalar(final MessageBufferPacker packer, final Object value) throws IOException
    {
        if (value instanceof int[] numbers)
        {
            packer.packArrayHeader(numbers.length);
            for (final int number : numbers)
            {
                packer.packInt(number);
            }
        }
        else if (value instanceof Long number)
        {
            packer.packBigInteger(new BigInteger(Long.toUnsignedString(number)));
        }
        else if (value instanceof Integer number)
        {
            packer.packInt(number);
        }
        else
        {
            packer.packString((String)value);
        }
    }
}
