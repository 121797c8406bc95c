// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv.hash;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class BlockHasherTest
{
    private static final byte[] NO_KEY = new byte[0];

    private static byte[] key(final String text)
    {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static int[] range(final int count)
    {
        return IntStream.range(0, count).toArray();
    }

    private static long[] hash(
        final BlockHashFunction function, final int blockSize, final byte[] cacheKey, final int... tokens)
    {
        final long[] hashes = new long[tokens.length / blockSize];
        assertEquals(hashes.length,
            BlockHasher.of(function, blockSize).hash(tokens, tokens.length, cacheKey, hashes));
        return hashes;
    }

    private static long[] sha256(final int blockSize, final int... tokens)
    {
        return hash(BlockHashFunction.SHA_256, blockSize, NO_KEY, tokens);
    }

    private static long[] xxh3(final int blockSize, final byte[] cacheKey, final int... tokens)
    {
        return hash(BlockHashFunction.XXH3_128, blockSize, cacheKey, tokens);
    }

    @Test
    void shouldGiveTheHashesOfTheReference()
    {
        assertArrayEquals(new long[] {2845290477977848731L, 1683021452263153046L}, sha256(32, range(64)));
        assertArrayEquals(new long[] {778151299291147080L, 7439714760811421429L}, sha256(2, 0, 1, 2, 3));
        assertArrayEquals(new long[] {3467889160079910390L, 2080517436859286908L}, sha256(4, new int[8]));
        assertArrayEquals(new long[] {8631359418450478918L, 8822814565887172754L}, sha256(1, -1, 5));
    }

    /** Computed from the contract with the reference library of xxHash: another hash here makes old hashes useless. */
    @Test
    void shouldGiveTheSameFastHashesAsEver()
    {
        assertArrayEquals(new long[] {1032429257843772025L, 2115476885691204929L}, xxh3(1, NO_KEY, -1, 5));
        assertArrayEquals(new long[] {3893411456430917635L, 1149690930786453603L}, xxh3(2, NO_KEY, 0, 1, 2, 3));
        assertArrayEquals(new long[] {4125258002777820936L, 286832318036628921L}, xxh3(3, NO_KEY, range(6)));
        assertArrayEquals(new long[] {2330374335823464863L, 8704740948260580644L}, xxh3(4, NO_KEY, new int[8]));
        assertArrayEquals(new long[] {813358733141461171L, 8127149870197464212L}, xxh3(16, NO_KEY, range(32)));
        assertArrayEquals(new long[] {6724566882517643958L, 7904376779639746298L}, xxh3(32, NO_KEY, range(64)));
        assertArrayEquals(new long[] {1800596961415143774L, 826707945493810121L}, xxh3(64, NO_KEY, range(128)));
    }

    @Test
    void shouldGiveTheSameFastHashesUnderACacheKeyAsEver()
    {
        assertArrayEquals(new long[] {2135498883721522929L, 7545758902975117248L}, xxh3(2, new byte[] {1}, 1, 2, 3, 4));
        assertArrayEquals(new long[] {2992678941384954423L, 4206238126650284481L},
            xxh3(16, key("tenant-7"), range(32)));
        assertArrayEquals(new long[] {758495032144564862L, 8066066244555265993L},
            xxh3(16, key("lora:customer-support:v12"), range(32)));
    }

    @ParameterizedTest
    @EnumSource
    void shouldGiveNoHashToATrailingPartialBlock(final BlockHashFunction function)
    {
        assertArrayEquals(hash(function, 4, NO_KEY, 1, 2, 3, 4), hash(function, 4, NO_KEY, 1, 2, 3, 4, 5, 6, 7));
        assertEquals(0, hash(function, 4, NO_KEY, 1, 2, 3).length);
        assertEquals(0, hash(function, 4, NO_KEY).length);
    }

    @ParameterizedTest
    @EnumSource
    void shouldGiveFourBlocksOfZerosFourDistinctHashes(final BlockHashFunction function)
    {
        for (final int blockSize : new int[] {1, 16, 32})
        {
            assertEquals(4, Arrays.stream(hash(function, blockSize, NO_KEY, new int[4 * blockSize])).distinct().count());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldShareNothingUnderAnotherCacheKey(final BlockHashFunction function)
    {
        final long[] plain = hash(function, 2, NO_KEY, 1, 2, 3, 4);
        final long[] keyed = hash(function, 2, new byte[] {1}, 1, 2, 3, 4);
        assertNotEquals(plain[0], keyed[0]);
        assertNotEquals(plain[1], keyed[1]);
        assertArrayEquals(keyed, hash(function, 2, new byte[] {1}, 1, 2, 3, 4));
    }

    @ParameterizedTest
    @EnumSource
    void shouldForgetTheCacheKeyOfTheLastPrompt(final BlockHashFunction function)
    {
        final BlockHasher hasher = BlockHasher.of(function, 2);
        final int[] tokens = {1, 2, 3, 4};
        final long[] hashes = new long[2];
        hasher.hash(tokens, 4, key("tenant-7"), hashes);
        hasher.hash(tokens, 4, NO_KEY, hashes);
        assertArrayEquals(hash(function, 2, NO_KEY, tokens), hashes);
    }

    @ParameterizedTest
    @EnumSource
    void shouldReadAndWriteNoFurtherThanThePrompt(final BlockHashFunction function)
    {
        final long[] hashes = {-7, -7, -7};
        final int[] tokens = {1, 2, 3, 4, 5, 6};
        assertEquals(2, BlockHasher.of(function, 2).hash(tokens, 5, NO_KEY, hashes));
        assertArrayEquals(hash(function, 2, NO_KEY, 1, 2, 3, 4), Arrays.copyOf(hashes, 2));
        assertEquals(-7, hashes[2]);
    }

    @ParameterizedTest
    @ValueSource(longs = {
        0, 1, 2, Long.MAX_VALUE - 1, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 1, -3, -2, -1})
    void shouldLeaveNoneAndRootFree(final long digestHead)
    {
        assertEquals(Long.remainderUnsigned(digestHead, Long.MAX_VALUE) + 1, BlockHasher.positive(digestHead));
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 16_777_217, Integer.MAX_VALUE})
    void shouldRefuseBlockSizeOutOfRange(final int blockSize)
    {
        for (final BlockHashFunction function : BlockHashFunction.values())
        {
            assertEquals("blockSizeTokens=" + blockSize + " is not between 1 and 16777216; give the tokens that one KV " +
                "block holds.", refusal(() -> BlockHasher.of(function, blockSize)));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 9, Integer.MAX_VALUE})
    void shouldRefuseTokenCountThatIsNoLengthOfThePrompt(final int tokenCount)
    {
        for (final BlockHashFunction function : BlockHashFunction.values())
        {
            final long[] hashes = new long[16];
            assertEquals("tokenCount=" + tokenCount + " is not between 0 and the 8 entries of tokens; give the length of " +
                "the prompt.",
                refusal(() -> BlockHasher.of(function, 2).hash(new int[8], tokenCount, NO_KEY, hashes)));
            assertArrayEquals(new long[16], hashes);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseHashesWithoutRoom(final BlockHashFunction function)
    {
        final long[] hashes = new long[3];
        assertEquals("hashes has 3 entries for the 4 full blocks of a prompt of 9 tokens; give one entry per full block.",
            refusal(() -> BlockHasher.of(function, 2).hash(new int[9], 9, NO_KEY, hashes)));
        assertArrayEquals(new long[3], hashes);
    }

    private static String refusal(final Runnable call)
    {
        return assertThrows(IllegalArgumentException.class, call::run).getMessage();
    }

    /** A key that reads as root and first block of another prompt must not lead to that prompt's second block. */
    @Test
    void shouldKeepAKeyApartFromTheBlocksOfAPrompt()
    {
        final byte[] key = new byte[32 + 2 * Long.BYTES];
        key[32] = 1;
        key[40] = 2;
        final long[] prompt = hash(BlockHashFunction.SHA_256, 2, NO_KEY, 1, 2, 3, 4);
        assertNotEquals(prompt[1], hash(BlockHashFunction.SHA_256, 2, key, 3, 4)[0]);
    }

    /** Often enough that every compiler of the JVM has had its turn: one of them once got it wrong. */
    @Test
    void shouldGiveTheSameHashesHoweverTheyAreCompiled()
    {
        final int[] tokens = range(1024);
        for (final int blockSize : new int[] {1, 4, 16, 32, 64, 128, 252})
        {
            final BlockHasher hasher = BlockHasher.of(BlockHashFunction.XXH3_128, blockSize);
            final long[] first = new long[1024 / blockSize];
            final long[] again = first.clone();
            hasher.hash(tokens, tokens.length, NO_KEY, first);
            for (int i = 0; i < 40_000; i++)
            {
                hasher.hash(tokens, tokens.length, NO_KEY, again);
                assertEquals(first[first.length - 1], again[first.length - 1], "block size " + blockSize + ", call " + i);
            }
        }
    }

    @Test
    void shouldRefuseWhatTheFastHashDoesNotTake()
    {
        final IllegalArgumentException block = assertThrows(IllegalArgumentException.class,
            () -> BlockHasher.of(BlockHashFunction.XXH3_128, 253));
        assertEquals("XXH3_128 takes blocks of up to 252 tokens, not of 253; use SHA_256 or smaller blocks.",
            block.getMessage());
        assertThrows(IllegalArgumentException.class, () -> xxh3(16, new byte[1025], range(32)));
    }
}
