// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * Block hashes chained over the prefix, as Megatron Core computes them: {@code d(i) = SHA-256(d(i-1) ‖ tokens as
 * little-endian int64)} with {@code d(-1)} 32 zero bytes, and {@code hash(i) = (first 8 bytes of d(i) as unsigned
 * little-endian) mod (2^63 − 1) + 1}. A non-empty cache key (LoRA, salt, tenant) replaces the root by its SHA-256, so
 * equal prompts under different keys share nothing. Runs in the submitting thread; not thread-safe.
 */
public final class BlockHasher
{
    private static final int DIGEST_BYTES = 32;

    private final int blockSizeTokens;
    private final MessageDigest sha256;
    private final byte[] chain = new byte[DIGEST_BYTES];
    private final byte[] blockBytes;
    private final ByteBuffer blockTokens;
    private final ByteBuffer chainHead = ByteBuffer.wrap(chain).order(ByteOrder.LITTLE_ENDIAN);

    public BlockHasher(final int blockSizeTokens)
    {
        this.blockSizeTokens = blockSizeTokens;
        blockBytes = new byte[blockSizeTokens * Long.BYTES];
        blockTokens = ByteBuffer.wrap(blockBytes).order(ByteOrder.LITTLE_ENDIAN);
        try
        {
            sha256 = MessageDigest.getInstance("SHA-256");
        }
        catch (final NoSuchAlgorithmException e)
        {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /**
     * Hashes every full block of a prompt.
     *
     * @param cacheKey what else the KV content depends on; empty for nothing.
     * @param hashes   receives one hash per full block.
     * @return the number of full blocks; a trailing partial block has no hash.
     */
    public int hash(final int[] tokens, final int tokenCount, final byte[] cacheKey, final long[] hashes)
    {
        startChain(cacheKey);
        final int fullBlocks = tokenCount / blockSizeTokens;
        for (int block = 0; block < fullBlocks; block++)
        {
            blockTokens.clear();
            for (int i = block * blockSizeTokens; i < (block + 1) * blockSizeTokens; i++)
            {
                blockTokens.putLong(tokens[i]);
            }
            sha256.update(chain);
            sha256.update(blockBytes);
            finishLink();
            hashes[block] = Long.remainderUnsigned(chainHead.getLong(0), Long.MAX_VALUE) + 1;
        }
        return fullBlocks;
    }

    private void startChain(final byte[] cacheKey)
    {
        if (cacheKey.length == 0)
        {
            Arrays.fill(chain, (byte)0);
        }
        else
        {
            sha256.update(cacheKey);
            finishLink();
        }
    }

    private void finishLink()
    {
        try
        {
            sha256.digest(chain, 0, DIGEST_BYTES);
        }
        catch (final DigestException e)
        {
            throw new IllegalStateException("32 bytes hold a SHA-256 digest", e);
        }
    }
}
