// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Random stores, hand-outs, ends and resets against the model that remembers every row. */
class BlockPagesPropertyTest
{
    @Provide
    Arbitrary<RoutingSideBySide.Setup> setups()
    {
        final Arbitrary<ModelShape> shapes = Combinators.combine(
                Arbitraries.integers().between(1, 5),
                Arbitraries.of(8, 12, 255, 256, 257, 1000, 32_768, 32_769, 65_536, 65_537, ModelShape.MAX_EXPERTS),
                Arbitraries.of(1, 2, 3, 6, 8))
            .as(ModelShape::new);
        return Combinators.combine(
                shapes,
                Arbitraries.of(1, 2, 4, 16, 64, 65),
                Arbitraries.integers().between(2, 6))
            .as(RoutingSideBySide.Setup::new);
    }

    private static RoutingSideBySide run(
        final RoutingSideBySide.Setup setup, final List<Integer> operations, final Consumer<RoutingSideBySide> check)
    {
        final RoutingSideBySide both = new RoutingSideBySide(setup);
        for (final int operation : operations)
        {
            both.run(operation);
            check.accept(both);
        }
        return both;
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void readsEqualTheModel(
        @ForAll("setups") final RoutingSideBySide.Setup setup,
        @ForAll @Size(max = 20) final List<@IntRange(max = 100_000) Integer> operations)
    {
        run(setup, operations, RoutingSideBySide::compare).compare();
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void strictReconstructIsNothingExactlyWhenTheModelSaysSo(
        @ForAll("setups") final RoutingSideBySide.Setup setup,
        @ForAll @Size(max = 20) final List<@IntRange(max = 100_000) Integer> operations,
        @ForAll final int seed)
    {
        final Random random = new Random(seed);
        run(setup, operations, both -> both.compareStrict(random)).compareStrict(random);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void digestsEqualTheirRecomputation(
        @ForAll("setups") final RoutingSideBySide.Setup setup,
        @ForAll @Size(max = 40) final List<@IntRange(max = 100_000) Integer> operations)
    {
        run(setup, operations, both -> assertEquals(both.pages.recomputeDigest(), both.pages.digest()));
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void requestsKeepTheirRowsWhenTheirBlocksAreHandedOutAgain(
        @ForAll("setups") final RoutingSideBySide.Setup setup,
        @ForAll @Size(min = 1, max = 20) final List<@IntRange(max = 100_000) Integer> operations)
    {
        final RoutingSideBySide both = run(setup, operations, ignored -> { });
        for (int blockId = 0; blockId < setup.blockCount(); blockId++)
        {
            both.blockPages.onHandedOut(new int[] {blockId}, 0, 1);
            both.model.handOut(blockId);
            assertFalse(both.blockPages.hasRouting(blockId));
        }
        both.owners.forEach(both::compareOwner);
        both.owners.forEach(owner -> owner.rows().clear());
        assertEquals(0, both.pages.livePages());
        assertEquals(0, both.pages.digest());
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void badInputChangesNothing(
        @ForAll("setups") final RoutingSideBySide.Setup setup,
        @ForAll @Size(max = 10) final List<@IntRange(max = 100_000) Integer> operations,
        @ForAll final int seed)
    {
        final RoutingSideBySide both = run(setup, operations, ignored -> { });
        final BadInput bad = new BadInput(both, new Random(seed));
        final long digest = both.pages.digest();
        final int livePages = both.pages.livePages();
        for (final BadInput.Kind kind : BadInput.Kind.values())
        {
            if (bad.isPossible(kind))
            {
                final RoutedExpertsException refusal =
                    assertThrows(RoutedExpertsException.class, () -> bad.give(kind), kind::name);
                bad.assertNames(kind, refusal.getMessage());
                assertEquals(digest, both.pages.digest(), kind::name);
                assertEquals(livePages, both.pages.livePages(), kind::name);
                both.compare();
            }
        }
        both.run(1);
        both.compare();
    }

    /** Unlike rows, a result that is refused must not reach the caller's buffer either. */
    @Property(edgeCases = EdgeCasesMode.NONE)
    void compactReadIsRefusedIfARowIsMissing(
        @ForAll("setups") final RoutingSideBySide.Setup setup,
        @ForAll @Size(max = 12) final List<@IntRange(max = 100_000) Integer> operations)
    {
        final RoutingSideBySide both = run(setup, operations, ignored -> { });
        final ExpertIdType compact = ExpertIdType.compact(setup.shape());
        final int block = both.routedBlock();
        if (block < 0)
        {
            return;
        }
        final List<int[]> rows = both.model.lenient(new int[]{block}, setup.blockSize());
        final UnsafeBuffer read = new UnsafeBuffer(new byte[setup.blockSize() * setup.shape().rowBytes()]);
        read.setMemory(0, read.capacity(), (byte)0x55);
        if (rows.contains(null) && !compact.isSigned())
        {
            assertThrows(RoutedExpertsException.class, () -> both.blockPages.getBlockRouting(block, compact, read, 0));
            for (int i = 0; i < read.capacity(); i++)
            {
                assertEquals(0x55, read.getByte(i));
            }
        }
        else
        {
            assertTrue(both.blockPages.getBlockRouting(block, compact, read, 0));
            assertArrayEquals(both.flat(rows, RoutedExpertPages.MISSING),
                ExpertRows.read(read, 0, setup.blockSize() * setup.shape().rowIds(), compact));
        }
    }
}
