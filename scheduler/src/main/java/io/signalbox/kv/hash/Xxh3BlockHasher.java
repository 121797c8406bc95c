// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The chain of {@link BlockHashFunction#XXH3_128}. */
final class Xxh3BlockHasher extends BlockHasher
{
    private static final int DIGEST_BYTES = 16;
    /** The default here and in vLLM, hashed without a copy of the tokens. */
    private static final int USUAL_BLOCK_SIZE_TOKENS = 16;
    private static final VarHandle INT32 = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT64 = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final Xxh3Hash128 xxh3 = new Xxh3Hash128();
    /** The chain so far, followed by the tokens of one block. */
    private final byte[] message;
    private long low;
    private long high;

    Xxh3BlockHasher(final int blockSizeTokens)
    {
        super(blockSizeTokens);
        message = new byte[DIGEST_BYTES + blockSizeTokens * Integer.BYTES];
    }

    @Override
    void hashBlocks(final int[] tokens, final int blocks, final byte[] cacheKey, final long[] hashes)
    {
        if (cacheKey.length > BlockHashFunction.XXH3_128.maxCacheKeyBytes())
        {
            throw new IllegalArgumentException("a cache key of " + cacheKey.length + " bytes is longer than the " +
                BlockHashFunction.XXH3_128.maxCacheKeyBytes() + " that " + BlockHashFunction.XXH3_128 +
                " takes; give a digest of it.");
        }
        low = 0;
        high = 0;
        if (cacheKey.length > 0)
        {
            xxh3.hash(cacheKey, cacheKey.length);
            keepDigest();
        }
        if (blockSizeTokens == USUAL_BLOCK_SIZE_TOKENS)
        {
            hashUsualBlocks(tokens, blocks, hashes);
        }
        else
        {
            hashOtherBlocks(tokens, blocks, hashes);
        }
    }

    private void hashUsualBlocks(final int[] tokens, final int blocks, final long[] hashes)
    {
        for (int block = 0; block < blocks; block++)
        {
            xxh3.hash(low, high, tokens, block * USUAL_BLOCK_SIZE_TOKENS);
            keepDigest();
            hashes[block] = positive(low);
        }
    }

    private void hashOtherBlocks(final int[] tokens, final int blocks, final long[] hashes)
    {
        for (int block = 0; block < blocks; block++)
        {
            INT64.set(message, 0, low);
            INT64.set(message, Long.BYTES, high);
            pack(tokens, block * blockSizeTokens);
            xxh3.hash(message, message.length);
            keepDigest();
            hashes[block] = positive(low);
        }
    }

    @Override
    public int chainBytes()
    {
        return DIGEST_BYTES;
    }

    @Override
    public void chain(final byte[] chain)
    {
        INT64.set(chain, 0, low);
        INT64.set(chain, Long.BYTES, high);
    }

    @Override
    public long extend(final byte[] chain, final int[] tokens)
    {
        System.arraycopy(chain, 0, message, 0, DIGEST_BYTES);
        pack(tokens, 0);
        xxh3.hash(message, message.length);
        keepDigest();
        chain(chain);
        return positive(low);
    }

    private void keepDigest()
    {
        low = xxh3.low();
        high = xxh3.high();
    }

    /** Two tokens at a time: a word that was stored as two halves is slow to load. */
    private void pack(final int[] tokens, final int from)
    {
        final int pairs = blockSizeTokens >> 1;
        for (int i = 0; i < pairs; i++)
        {
            final int at = from + 2 * i;
            INT64.set(message, DIGEST_BYTES + i * Long.BYTES,
                Integer.toUnsignedLong(tokens[at]) | (long)tokens[at + 1] << 32);
        }
        if ((blockSizeTokens & 1) != 0)
        {
            INT32.set(message, message.length - Integer.BYTES, tokens[from + blockSizeTokens - 1]);
        }
    }
}
