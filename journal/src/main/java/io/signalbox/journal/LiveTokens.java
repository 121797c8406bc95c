// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.kv.hash.BlockHasher;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The tokens of live requests whose blocks are not full, and their stop tokens. */
final class LiveTokens
{
    /** One request. */
    private static final class Live
    {
        /** Ascending. */
        private int[] stopTokens;
        /** {@code null} if blocks that decoding fills are not found again. */
        private byte[] chain;
        private int[] open;
        private int openCount;
    }

    private final Map<Long, Live> live = new HashMap<>();
    private final BlockHasher hasher;
    private final int blockSizeTokens;
    private final boolean caches;

    LiveTokens(final BlockHasher hasher, final int blockSizeTokens, final boolean caches)
    {
        this.hasher = hasher;
        this.blockSizeTokens = blockSizeTokens;
        this.caches = caches;
    }

    /**
     * A request was accepted.
     *
     * @param submit at the start of its variable parts; it is left there.
     */
    void begin(final SubmitDecoder submit)
    {
        final Live one = new Live();
        final int start = submit.limit();
        submit.skipBlockHashes();
        submit.skipCacheKey();
        final int tokensAt = submit.limit() + SubmitDecoder.tokensHeaderLength();
        final int tokens = submit.skipTokens() / Integer.BYTES;
        final DirectBuffer buffer = submit.buffer();
        final boolean hasChain = submit.hashChainLength() == hasher.chainBytes() && caches;
        if (hasChain)
        {
            one.chain = new byte[hasher.chainBytes()];
            submit.getHashChain(one.chain, 0, one.chain.length);
            one.open = new int[blockSizeTokens];
            for (int i = tokens - submit.promptTokens() % blockSizeTokens; i < tokens; i++)
            {
                one.open[one.openCount++] = token(buffer, tokensAt, i);
            }
        }
        one.stopTokens = stopTokens(submit, hasChain);
        submit.limit(start);
        live.put(submit.requestId(), one);
    }

    /** @param isBehindChain whether the hash chain was read. */
    private static int[] stopTokens(final SubmitDecoder submit, final boolean isBehindChain)
    {
        if (!isBehindChain)
        {
            submit.skipHashChain();
        }
        final int at = submit.limit() + SubmitDecoder.stopTokensHeaderLength();
        final int[] tokens = new int[submit.skipStopTokens() / Integer.BYTES];
        Arrays.setAll(tokens, i -> token(submit.buffer(), at, i));
        return tokens;
    }

    private static int token(final DirectBuffer buffer, final int tokensAt, final int index)
    {
        return buffer.getInt(tokensAt + index * Integer.BYTES, ByteOrder.LITTLE_ENDIAN);
    }

    /** Whether blocks that decoding fills are found again. */
    boolean continues(final long requestId)
    {
        final Live one = live.get(requestId);
        return one != null && one.chain != null;
    }

    boolean stops(final long requestId, final int token)
    {
        final Live one = live.get(requestId);
        return one != null && Arrays.binarySearch(one.stopTokens, token) >= 0;
    }

    /** A token became visible; returns the hash of the block that it fills, or 0. */
    long emitted(final long requestId, final int token)
    {
        final Live one = live.get(requestId);
        if (one == null || one.chain == null)
        {
            return 0;
        }
        one.open[one.openCount++] = token;
        if (one.openCount < blockSizeTokens)
        {
            return 0;
        }
        one.openCount = 0;
        return hasher.extend(one.chain, one.open);
    }

    void end(final long requestId)
    {
        live.remove(requestId);
    }
}
