// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Hashes with few home slots, so that entries are farther from their home slot than a slot can record. */
class PrefixIndexPropertyTest
{
    private static final int POOL = 64;
    /** The last two places of the index and its first: probe runs go round the end. */
    private static final Set<Integer> PLACES = Set.of(126, 127, 0);

    private final BlockRecords records = new BlockRecords(POOL);
    private final PrefixIndex index = new PrefixIndex(records);
    private final long[] crowded =
        LongStream.iterate(1, hash -> hash + 1).filter(hash -> PLACES.contains(index.home(hash))).limit(POOL).toArray();

    /** Every step adds the hash of a block, or drops it if the block has one. */
    @Property
    void findsWhatWasAddedAndNotDroppedHoweverFarItLies(
        @ForAll @Size(max = 300) final List<@IntRange(max = POOL - 1) Integer> steps)
    {
        index.clear();
        records.reset();
        final boolean[] isKnown = new boolean[POOL];
        for (final int block : steps)
        {
            if (isKnown[block])
            {
                index.remove(block);
                records.forget(block);
            }
            else
            {
                records.name(block, crowded[block], 0);
                index.put(crowded[block], block);
            }
            isKnown[block] ^= true;
            checkAll(isKnown);
        }
    }

    private void checkAll(final boolean[] isKnown)
    {
        int size = 0;
        for (int block = 0; block < POOL; block++)
        {
            assertEquals(isKnown[block] ? block : BlockRecords.NO_BLOCK, index.get(crowded[block]));
            size += isKnown[block] ? 1 : 0;
        }
        assertEquals(size, index.size());
    }
}
