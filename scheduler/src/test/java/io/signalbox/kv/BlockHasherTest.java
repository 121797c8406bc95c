// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import org.junit.jupiter.api.Test;

import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

class BlockHasherTest
{
    private static final byte[] NO_KEY = new byte[0];

    private static long[] hash(final int blockSize, final byte[] cacheKey, final int... tokens)
    {
        final long[] hashes = new long[tokens.length / blockSize];
        assertEquals(hashes.length, new BlockHasher(blockSize).hash(tokens, tokens.length, cacheKey, hashes));
        return hashes;
    }

    @Test
    void shouldGiveTheHashesOfTheReference()
    {
        assertArrayEquals(new long[] {2845290477977848731L, 1683021452263153046L},
            hash(32, NO_KEY, IntStream.range(0, 64).toArray()));
        assertArrayEquals(new long[] {778151299291147080L, 7439714760811421429L}, hash(2, NO_KEY, 0, 1, 2, 3));
        assertArrayEquals(new long[] {3467889160079910390L, 2080517436859286908L}, hash(4, NO_KEY, new int[8]));
        assertArrayEquals(new long[] {8631359418450478918L, 8822814565887172754L}, hash(1, NO_KEY, -1, 5));
    }

    @Test
    void shouldGiveNoHashToATrailingPartialBlock()
    {
        assertEquals(1, hash(4, NO_KEY, 1, 2, 3, 4, 5, 6, 7).length);
        assertEquals(0, hash(4, NO_KEY, 1, 2, 3).length);
    }

    @Test
    void shouldShareNothingUnderAnotherCacheKey()
    {
        final long[] plain = hash(2, NO_KEY, 1, 2, 3, 4);
        final long[] keyed = hash(2, new byte[] {1}, 1, 2, 3, 4);
        assertNotEquals(plain[0], keyed[0]);
        assertNotEquals(plain[1], keyed[1]);
        assertArrayEquals(keyed, hash(2, new byte[] {1}, 1, 2, 3, 4));
    }
}
