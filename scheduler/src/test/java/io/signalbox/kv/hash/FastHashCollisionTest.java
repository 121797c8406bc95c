// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv.hash;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Prompts that differ as prompts do, about a million of each kind, in blocks of 16 tokens: no two share a block hash, nor
 * either half of the 128 bits that are chained. By chance one of these tests would fail in some ten million.
 */
class FastHashCollisionTest
{
    private static final byte[] NO_KEY = new byte[0];
    private static final int BLOCK = 16;
    private static final int PROMPTS = 1 << 20;

    private interface Prompts
    {
        /** Makes prompt {@code number} out of zeros; no two numbers make the same one. */
        void fill(int number, int[] prompt);
    }

    private static void assertNoCollision(final int blocks, final int count, final Prompts prompts)
    {
        final BlockHasher hasher = BlockHasher.of(BlockHashFunction.XXH3_128, BLOCK);
        final long[] hashes = new long[blocks];
        final long[] last = new long[count];
        final int[] prompt = new int[blocks * BLOCK];
        for (int i = 0; i < count; i++)
        {
            Arrays.fill(prompt, 0);
            prompts.fill(i, prompt);
            hasher.hash(prompt, prompt.length, NO_KEY, hashes);
            last[i] = hashes[blocks - 1];
        }
        assertDistinct(last);
    }

    private static void assertDistinct(final long[] values)
    {
        assertEquals(values.length, Arrays.stream(values).sorted().distinct().count());
    }

    @Test
    void shouldKeepCountersApartWhereverTheyStand()
    {
        assertNoCollision(2, 32 * (PROMPTS / 32), (number, prompt) -> prompt[number % 32] = 1 + number / 32);
    }

    @Test
    void shouldKeepNegativeTokensApartWhereverTheyStand()
    {
        assertNoCollision(2, 32 * (PROMPTS / 32), (number, prompt) -> prompt[number % 32] = -1 - number / 32);
    }

    @Test
    void shouldKeepOneChangedTokenOfARealisticPromptApart()
    {
        assertNoCollision(4, PROMPTS, (number, prompt) ->
        {
            for (int i = 0; i < prompt.length; i++)
            {
                prompt[i] = i * 7919 % 128_000;
            }
            prompt[number % 64] += 128_000 + number / 64;
        });
    }

    @Test
    void shouldKeepPairsOfTokensWithTheSameSumApart()
    {
        assertNoCollision(1, PROMPTS, (number, prompt) ->
        {
            final int pair = number % 15;
            prompt[pair] = PROMPTS + number / 15;
            prompt[pair + 1] = -prompt[pair];
        });
    }

    @Test
    void shouldKeepBitsOfSmallTokensApart()
    {
        assertNoCollision(1, PROMPTS, (number, prompt) ->
        {
            for (int bit = 0; bit < 20; bit++)
            {
                // The bits of the number, one or two to a token.
                prompt[bit % BLOCK] |= (number >>> bit & 1) << bit / BLOCK;
            }
        });
    }

    @Test
    void shouldKeepSwappedTokensApart()
    {
        // Ranks of the permutations of ten tokens, the first million of 10! = 3,628,800.
        assertNoCollision(1, PROMPTS, (number, prompt) ->
        {
            int rest = number;
            for (int i = 0; i < 10; i++)
            {
                prompt[i] = 1000 + i;
            }
            for (int i = 9; i > 0; i--)
            {
                final int other = rest % (i + 1);
                rest /= i + 1;
                final int kept = prompt[i];
                prompt[i] = prompt[other];
                prompt[other] = kept;
            }
        });
    }

    @Test
    void shouldKeepSwappedBlocksApart()
    {
        // Sequences of ten blocks out of four different ones: 4^10 of them.
        assertNoCollision(10, PROMPTS, (number, prompt) ->
        {
            for (int block = 0; block < 10; block++)
            {
                final int kind = number >>> 2 * block & 3;
                for (int i = 0; i < BLOCK; i++)
                {
                    prompt[block * BLOCK + i] = kind * BLOCK + i;
                }
            }
        });
    }

    @Test
    void shouldKeepShiftedPrefixesApart()
    {
        assertNoCollision(3, PROMPTS, (number, prompt) ->
        {
            for (int i = 0; i < prompt.length; i++)
            {
                prompt[i] = number + i;
            }
        });
    }

    @Test
    void shouldKeepEveryBlockOfALongPromptOfZerosApart()
    {
        final long[] hashes = new long[PROMPTS];
        BlockHasher.of(BlockHashFunction.XXH3_128, BLOCK).hash(new int[PROMPTS * BLOCK], PROMPTS * BLOCK, NO_KEY, hashes);
        assertDistinct(hashes);
    }

    /** The hashes say nothing of the upper half, which only the next block shows; here it is seen. */
    @Test
    void shouldKeepBothHalvesOfTheChainApart()
    {
        final int count = PROMPTS / 4;
        final BlockHashModel model = new BlockHashModel(BlockHashFunction.XXH3_128, BLOCK);
        final long[] low = new long[count];
        final long[] high = new long[count];
        final int[] prompt = new int[2 * BLOCK];
        for (int i = 0; i < count; i++)
        {
            Arrays.fill(prompt, 0);
            prompt[i % 32] = 1 + i / 32;
            final List<byte[]> digests = model.digests(NO_KEY, prompt);
            final ByteBuffer digest = BlockHashModel.little(digests.get(1));
            low[i] = digest.getLong(0);
            high[i] = digest.getLong(8);
        }
        assertDistinct(low);
        assertDistinct(high);
    }
}
