// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import java.util.List;

/** Depth and drafts change when things happen, never which token or row a request gets. */
class DepthPropertyTest
{
    @Property(tries = 1500, edgeCases = EdgeCasesMode.NONE)
    void depthAndDraftsNeverChangeTokensOrRows(
        @ForAll @Size(max = 250) final List<@IntRange(min = 0, max = 200_000) Integer> actions,
        @ForAll @IntRange(min = 1, max = 4) final int depth,
        @ForAll @IntRange(min = 0, max = 3) final int drafts,
        @ForAll @IntRange(min = 0, max = 3) final int acceptance,
        @ForAll final boolean faults,
        @ForAll final boolean lockStep,
        @ForAll @IntRange(min = 0, max = 9999) final int shape)
    {
        final int blockSize = 1 + shape % 4;
        final SchedulerConfig config = SchedulerConfig.builder()
            .ranks(1 + shape / 4 % 2)
            .blockSizeTokens(blockSize)
            .kvBlocks(6 + shape / 8 % 20)
            .stepTokens(1 + shape / 160 % 12)
            .maxRunning(1 + shape / 1920 % 5)
            .router("round-robin").lockStep(lockStep).backOffNanos(shape % 3 * 10).maxFailures(shape % 5)
            .depth(depth).draftTokens(drafts).capture(DepthRun.SHAPE).digestInterval(3).build();
        final DepthRun run = new DepthRun(config, new int[] {0, 50, 90, 100}[acceptance], faults);
        run.play(actions);
        run.checkDeadEntries();
    }
}
