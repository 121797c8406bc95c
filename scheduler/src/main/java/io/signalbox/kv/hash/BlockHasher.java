// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv.hash;

/**
 * Block hashes chained over the prefix: equal hash, equal tokens from the start of the prompt to the end of the block.
 * The {@link BlockHashFunction} says how the digests {@code d(i)} are chained; then, as in Megatron Core,
 * {@code hash(i) = (first 8 bytes of d(i) as unsigned little-endian) mod (2^63 − 1) + 1}, so that -1 and 0 stay free. A
 * non-empty cache key (LoRA, salt, tenant) replaces the root by a digest of itself, so that equal prompts under different
 * keys share nothing. Runs in the submitting thread, without garbage; not thread-safe.
 */
public abstract class BlockHasher
{
    private static final int MAX_BLOCK_SIZE_TOKENS = 1 << 24;

    final int blockSizeTokens;

    BlockHasher(final int blockSizeTokens)
    {
        this.blockSizeTokens = blockSizeTokens;
    }

    /** @throws IllegalArgumentException when the block size is not between 1 and 2^24 tokens. */
    public static BlockHasher of(final BlockHashFunction function, final int blockSizeTokens)
    {
        if (blockSizeTokens < 1 || blockSizeTokens > MAX_BLOCK_SIZE_TOKENS)
        {
            throw new IllegalArgumentException("blockSizeTokens=" + blockSizeTokens + " is not between 1 and " +
                MAX_BLOCK_SIZE_TOKENS + "; give the tokens that one KV block holds.");
        }
        if (blockSizeTokens > function.maxBlockSizeTokens())
        {
            throw new IllegalArgumentException(function + " takes blocks of up to " + function.maxBlockSizeTokens() +
                " tokens, not of " + blockSizeTokens + "; use " + BlockHashFunction.SHA_256 + " or smaller blocks.");
        }
        return switch (function)
        {
            case SHA_256 -> new Sha256BlockHasher(blockSizeTokens);
            case XXH3_128 -> new Xxh3BlockHasher(blockSizeTokens);
        };
    }

    /**
     * Hashes every full block of a prompt.
     *
     * @param tokens   holds the prompt from index 0 on.
     * @param cacheKey further inputs that KV content depends on; empty for none.
     * @param hashes   receives one hash per full block.
     * @return the number of full blocks; a trailing partial block has no hash.
     * @throws IllegalArgumentException when the prompt is longer than its array, or the hashes have no room; nothing was
     *                                  written.
     */
    public final int hash(final int[] tokens, final int tokenCount, final byte[] cacheKey, final long[] hashes)
    {
        if (tokenCount < 0 || tokenCount > tokens.length)
        {
            throw new IllegalArgumentException("tokenCount=" + tokenCount + " is not between 0 and the " + tokens.length +
                " entries of tokens; give the length of the prompt.");
        }
        final int blocks = tokenCount / blockSizeTokens;
        if (blocks > hashes.length)
        {
            throw new IllegalArgumentException("hashes has " + hashes.length + " entries for the " + blocks +
                " full blocks of a prompt of " + tokenCount + " tokens; give one entry per full block.");
        }
        hashBlocks(tokens, blocks, cacheKey, hashes);
        return blocks;
    }

    /** Length of a chain, the state from which {@link #extend} continues. */
    public abstract int chainBytes();

    /**
     * Writes the chain behind the last block that {@link #hash} hashed; behind the root of the cache key if there was none.
     *
     * @param chain receives {@link #chainBytes()} bytes from index 0 on.
     */
    public abstract void chain(byte[] chain);

    /**
     * Hashes one more block. The result is the hash that {@link #hash} gives the block of the whole prompt.
     *
     * @param chain  the chain behind the block before it, replaced by the one behind this block.
     * @param tokens holds the block from index 0 on.
     * @return the hash of the block.
     */
    public abstract long extend(byte[] chain, int[] tokens);

    abstract void hashBlocks(int[] tokens, int blocks, byte[] cacheKey, long[] hashes);

    /** The unsigned value modulo 2^63 - 1, plus 1. As 2^63 leaves 1, the top bit counts as 1, without a division. */
    static long positive(final long digestHead)
    {
        final long shifted = (digestHead & Long.MAX_VALUE) + (digestHead >>> 63) + 1;
        return shifted > 0 ? shifted : shifted - Long.MAX_VALUE;
    }
}
