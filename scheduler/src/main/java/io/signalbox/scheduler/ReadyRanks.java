// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

/** Ranks that have room for a step, in a bit for each: of hundreds of ranks few have, and these are found word by word. */
final class ReadyRanks
{
    private final int ranks;
    private final long[] words;

    /** None of so many ranks. */
    ReadyRanks(final int ranks)
    {
        this.ranks = ranks;
        words = new long[(ranks + Long.SIZE - 1) / Long.SIZE];
    }

    void set(final int rank, final boolean isIn)
    {
        final long bit = 1L << rank;
        final int word = rank / Long.SIZE;
        words[word] = isIn ? words[word] | bit : words[word] & ~bit;
    }

    /** The first of them from this rank on; the number of all ranks if there is none. */
    int next(final int from)
    {
        if (from >= ranks)
        {
            return ranks;
        }
        int word = from / Long.SIZE;
        long left = words[word] & -1L << from;
        while (left == 0 && ++word < words.length)
        {
            left = words[word];
        }
        return left == 0 ? ranks : word * Long.SIZE + Long.numberOfTrailingZeros(left);
    }
}
