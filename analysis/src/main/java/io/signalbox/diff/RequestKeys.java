// SPDX-License-Identifier: Apache-2.0
package io.signalbox.diff;

import io.signalbox.event.codec.SubmitDecoder;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2LongCounterMap;
import org.agrona.collections.Long2LongHashMap;

import java.nio.ByteOrder;

/**
 * The keys under which the requests of one journal are matched with those of another one: their ids, or their prompts and
 * how many requests came before with an equal one.
 */
final class RequestKeys
{
    private static final long ABSENT = Long.MIN_VALUE;

    private final boolean byId;
    private final boolean withHashes;
    private final ComparedPrompts compared;
    /** Prompt of each live request by id; with keys by prompt, its key. */
    private final Long2LongHashMap live = new Long2LongHashMap(ABSENT);
    private final Long2LongCounterMap occurrences = new Long2LongCounterMap(0);
    private long prompt;

    /** @param compared the part of prompts that both journals have in the same form. */
    RequestKeys(final boolean byId, final ComparedPrompts compared)
    {
        this.byId = byId;
        withHashes = compared.withHashes();
        this.compared = compared;
    }

    void onSubmit(final SubmitDecoder submit)
    {
        long hash = mix(1, submit.promptTokens());
        final int bytes = withHashes ? submit.blockHashesLength() : 0;
        final DirectBuffer message = submit.buffer();
        final int start = submit.limit() + SubmitDecoder.blockHashesHeaderLength();
        for (int i = 0; i + Long.BYTES <= bytes; i += Long.BYTES)
        {
            hash = mix(hash, message.getLong(start + i, ByteOrder.LITTLE_ENDIAN));
        }
        final int limit = submit.limit();
        submit.skipBlockHashes();
        submit.skipCacheKey();
        final int tail = compared.tailTokens(submit.promptTokens());
        final int tokensAt = submit.limit() + SubmitDecoder.tokensHeaderLength();
        final int tokens = submit.skipTokens() / Integer.BYTES;
        for (int i = Math.max(0, tokens - tail); i < tokens; i++)
        {
            hash = mix(hash, message.getInt(tokensAt + i * Integer.BYTES, ByteOrder.LITTLE_ENDIAN));
        }
        submit.limit(limit);
        prompt = hash;
    }

    private static long mix(final long state, final long value)
    {
        final long mixed = (state ^ value) * 0x9E3779B97F4A7C15L;
        return (mixed ^ mixed >>> 32) * 0xD6E8FEB86659FD93L;
    }

    /** The request of the last Submit begins, unless one with its id is alive. */
    void begin(final long requestId)
    {
        if (!live.containsKey(requestId))
        {
            live.put(requestId, byId ? known(prompt) : known(mix(prompt, occurrences.getAndIncrement(prompt))));
        }
    }

    private static long known(final long value)
    {
        return value == ABSENT ? 0 : value;
    }

    /** The key of a live request. */
    long key(final long requestId)
    {
        return byId ? requestId : live.get(requestId);
    }

    /** The key of the prompt of a live request; the same for all if keys are by prompt. */
    long prompt(final long requestId)
    {
        return byId ? live.get(requestId) : 0;
    }

    void end(final long requestId)
    {
        live.remove(requestId);
    }
}
