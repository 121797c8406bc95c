// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.kvevents;

import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.kv.hash.BlockHasher;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The tokens of one request, prompt and answer so far, and the hashes of their full blocks. */
final class TokenSequence
{
    private final byte[] cacheKey;
    private int[] tokens;
    private int count;
    /** 0: not known yet. */
    private long[] hashes;

    private TokenSequence(final long[] hashes, final byte[] cacheKey, final int[] tokens)
    {
        this.hashes = hashes;
        this.cacheKey = cacheKey;
        this.tokens = tokens;
        count = tokens.length;
    }

    /** @return {@code null} if the message does not have all tokens of the prompt. */
    static TokenSequence of(final SubmitDecoder submit)
    {
        final ByteBuffer hashBytes = buffer(submit.blockHashesLength());
        submit.getBlockHashes(hashBytes.array(), 0, hashBytes.capacity());
        final byte[] cacheKey = new byte[submit.cacheKeyLength()];
        submit.getCacheKey(cacheKey, 0, cacheKey.length);
        final ByteBuffer tokenBytes = buffer(submit.tokensLength());
        submit.getTokens(tokenBytes.array(), 0, tokenBytes.capacity());
        final int[] tokens = new int[tokenBytes.capacity() / Integer.BYTES];
        if (tokens.length != submit.promptTokens())
        {
            return null;
        }
        tokenBytes.asIntBuffer().get(tokens);
        final long[] hashes = new long[hashBytes.capacity() / Long.BYTES];
        hashBytes.asLongBuffer().get(hashes);
        return new TokenSequence(hashes, cacheKey, tokens);
    }

    private static ByteBuffer buffer(final int bytes)
    {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    void add(final int token)
    {
        if (count == tokens.length)
        {
            tokens = Arrays.copyOf(tokens, 2 * count + 1);
        }
        tokens[count++] = token;
    }

    /** @return {@code null} if not all tokens of the block are known. */
    CachedBlock block(final int place, final long hash, final BlockHasher hasher, final int blockTokens)
    {
        final int end = (place + 1) * blockTokens;
        if (end > count)
        {
            return null;
        }
        final long parent = place == 0 ? 0 : hash(place - 1, hasher, blockTokens);
        if (place >= hashes.length)
        {
            hashes = Arrays.copyOf(hashes, Math.max(place + 1, 2 * hashes.length));
        }
        hashes[place] = hash;
        return new CachedBlock(hash, parent, place, Arrays.copyOfRange(tokens, place * blockTokens, end),
            place == 0 && cacheKey.length > 0 ? new String(cacheKey, StandardCharsets.UTF_8) : null);
    }

    /** A block whose content another request has cached is not registered, so its hash is in no event. */
    private long hash(final int place, final BlockHasher hasher, final int blockTokens)
    {
        if (place >= hashes.length || hashes[place] == 0)
        {
            hashes = new long[count / blockTokens];
            hasher.hash(tokens, count, cacheKey, hashes);
        }
        return hashes[place];
    }
}
