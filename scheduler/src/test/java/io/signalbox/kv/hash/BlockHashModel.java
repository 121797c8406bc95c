// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv.hash;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The chain of digests as the contract of {@link BlockHashFunction} says it, one message at a time. */
final class BlockHashModel
{
    private final BlockHashFunction function;
    private final int blockSizeTokens;

    BlockHashModel(final BlockHashFunction function, final int blockSizeTokens)
    {
        this.function = function;
        this.blockSizeTokens = blockSizeTokens;
    }

    long[] hashes(final byte[] cacheKey, final int... tokens)
    {
        return digests(cacheKey, tokens).stream().mapToLong(digest -> little(digest).getLong(0))
            .map(head -> Long.remainderUnsigned(head, Long.MAX_VALUE) + 1).toArray();
    }

    List<byte[]> digests(final byte[] cacheKey, final int... tokens)
    {
        final boolean wide = function == BlockHashFunction.SHA_256;
        final List<byte[]> digests = new ArrayList<>();
        byte[] chain = cacheKey.length == 0 ? new byte[wide ? 32 : 16] : root(cacheKey);
        for (int from = 0; from + blockSizeTokens <= tokens.length; from += blockSizeTokens)
        {
            final ByteBuffer message = little(new byte[chain.length + blockSizeTokens * (wide ? 8 : 4)]).put(chain);
            for (int i = from; i < from + blockSizeTokens; i++)
            {
                if (wide)
                {
                    message.putLong(tokens[i]);
                }
                else
                {
                    message.putInt(tokens[i]);
                }
            }
            chain = digest(message.array());
            digests.add(chain);
        }
        return digests;
    }

    private byte[] root(final byte[] cacheKey)
    {
        if (function == BlockHashFunction.XXH3_128)
        {
            return digest(cacheKey);
        }
        final byte[] tagged = new byte[32 + cacheKey.length];
        Arrays.fill(tagged, 0, 32, (byte)0xFF);
        System.arraycopy(cacheKey, 0, tagged, 32, cacheKey.length);
        return digest(tagged);
    }

    private byte[] digest(final byte[] message)
    {
        if (function == BlockHashFunction.SHA_256)
        {
            return sha256(message);
        }
        final Xxh3Hash128 xxh3 = new Xxh3Hash128();
        xxh3.hash(message, message.length);
        return little(new byte[16]).putLong(xxh3.low()).putLong(xxh3.high()).array();
    }

    private static byte[] sha256(final byte[] message)
    {
        try
        {
            return MessageDigest.getInstance("SHA-256").digest(message);
        }
        catch (final NoSuchAlgorithmException e)
        {
            throw new AssertionError(e);
        }
    }

    static ByteBuffer little(final byte[] bytes)
    {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
