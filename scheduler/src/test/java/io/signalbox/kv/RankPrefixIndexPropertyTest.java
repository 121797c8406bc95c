// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Against one set of hashes per rank, for up to three words of ranks. */
class RankPrefixIndexPropertyTest
{
    private static final int PROMPT_BLOCKS = 40;
    private static final int FAMILIES = 6;

    /** A rank's cache of one family of prompts grows and shrinks at its end, or the rank forgets everything. */
    @Property
    void everyRankMatchesAsFarAsItHasTheBlocksOfThePrompt(
        @ForAll @IntRange(min = 1, max = 130) final int ranks,
        @ForAll @Size(max = 120) final List<@IntRange(max = 1_000_000) Integer> steps)
    {
        final RankPrefixIndex index = new RankPrefixIndex(ranks);
        final int[][] lengths = new int[ranks][FAMILIES];
        for (final int step : steps)
        {
            final int rank = step % ranks;
            final int family = step / ranks % FAMILIES;
            if (step % 50 == 0)
            {
                for (int all = 0; all < FAMILIES; all++)
                {
                    resize(index, lengths, rank, all, 0);
                }
            }
            else
            {
                resize(index, lengths, rank, family, step / 1000 % (PROMPT_BLOCKS + 1));
            }
        }
        checkMatches(index, lengths);
        assertEquals(distinctHashes(lengths), index.size());
    }

    private static void resize(
        final RankPrefixIndex index, final int[][] lengths, final int rank, final int family, final int length)
    {
        for (; lengths[rank][family] < length; lengths[rank][family]++)
        {
            index.add(hash(family, lengths[rank][family]), rank);
        }
        while (lengths[rank][family] > length)
        {
            index.remove(hash(family, --lengths[rank][family]), rank);
        }
    }

    private static void checkMatches(final RankPrefixIndex index, final int[][] lengths)
    {
        final int[] matched = new int[lengths.length];
        final int[] expected = new int[lengths.length];
        final long[] prompt = new long[PROMPT_BLOCKS];
        for (int family = 0; family < FAMILIES; family++)
        {
            for (int i = 0; i < PROMPT_BLOCKS; i++)
            {
                prompt[i] = hash(family, i);
            }
            for (final int count : new int[]{0, 1, 7, PROMPT_BLOCKS})
            {
                for (int rank = 0; rank < lengths.length; rank++)
                {
                    expected[rank] = Math.min(count, lengths[rank][family]);
                }
                index.longestMatches(prompt, count, matched);
                assertArrayEquals(expected, matched);
            }
        }
    }

    private static int distinctHashes(final int[][] lengths)
    {
        final Set<Long> hashes = new HashSet<>();
        for (final int[] ofRank : lengths)
        {
            for (int family = 0; family < FAMILIES; family++)
            {
                for (int i = 0; i < ofRank[family]; i++)
                {
                    hashes.add(hash(family, i));
                }
            }
        }
        return hashes.size();
    }

    private static long hash(final int family, final int block)
    {
        return (StateDigest.mix(family * 1000L + block) >>> 1) + 1;
    }

    @Example
    void refusesToRemoveWhatARankDoesNotHave()
    {
        final RankPrefixIndex index = new RankPrefixIndex(3);
        index.add(5, 1);
        assertThrows(InvariantViolation.class, () -> index.remove(5, 0));
        assertThrows(InvariantViolation.class, () -> index.remove(6, 1));
        index.remove(5, 1);
        assertEquals(0, index.size());
    }

    /** Far more than the index begins with: it grows. */
    @Example
    void growsWithTheHashes()
    {
        final RankPrefixIndex index = new RankPrefixIndex(65);
        for (int i = 0; i < 100_000; i++)
        {
            index.add(hash(i, 0), i % 65);
        }
        for (int i = 0; i < 100_000; i += 2)
        {
            index.remove(hash(i, 0), i % 65);
        }
        assertEquals(50_000, index.size());
        for (int i = 0; i < 100_000; i++)
        {
            assertEquals(i % 2 == 1, index.contains(hash(i, 0), i % 65));
        }
    }
}
