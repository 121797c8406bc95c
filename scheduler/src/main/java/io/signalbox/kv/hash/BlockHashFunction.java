// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv.hash;

/**
 * The function that a {@link BlockHasher} chains. The chain carries more than the 64 bits that become the block hash, so
 * that prefixes which share one block hash by chance do not share those of later blocks.
 */
public enum BlockHashFunction
{
    /**
     * SHA-256 as Megatron Core computes it: {@code d(i) = SHA-256(d(i-1) ‖ tokens as little-endian int64)}, {@code d(-1)}
     * is 32 zero bytes. For servers whose clients do not trust one another: matching the hash of someone else's prompt
     * takes about 2^63 attempts. Finding two prompts that share a hash takes about 2^32, as with every 64-bit block hash.
     */
    SHA_256(1 << 24, Integer.MAX_VALUE),

    /**
     * XXH3-128 with seed 0, as in xxHash 0.8: {@code d(i) = XXH3-128(d(i-1) ‖ tokens as little-endian int32)},
     * {@code d(-1)} is 16 zero bytes. A digest enters the chain as its lower and then its upper half, each little-endian.
     * For clients that trust one another: two different prefixes share a block hash with a chance of 2^-63 by accident,
     * but an attacker can make such prefixes. Accepts blocks of up to 252 tokens and cache keys of up to 1,024 bytes:
     * longer messages need a loop that the C2 compiler of Java 17 miscompiled in tests.
     */
    XXH3_128(252, 1024);

    private final int maxBlockSizeTokens;
    private final int maxCacheKeyBytes;

    BlockHashFunction(final int maxBlockSizeTokens, final int maxCacheKeyBytes)
    {
        this.maxBlockSizeTokens = maxBlockSizeTokens;
        this.maxCacheKeyBytes = maxCacheKeyBytes;
    }

    /** The largest block that the function accepts. */
    public int maxBlockSizeTokens()
    {
        return maxBlockSizeTokens;
    }

    /** The longest cache key that the function accepts. */
    public int maxCacheKeyBytes()
    {
        return maxCacheKeyBytes;
    }
}
