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
    /** Few tries: they shrink what they find to a short list of actions. */
    @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
    void depthAndDraftsNeverChangeTokensOrRows(
        @ForAll @Size(max = DepthCase.MOST_ACTIONS) final
            List<@IntRange(min = 0, max = DepthCase.MOST_ACTION) Integer> actions,
        @ForAll @IntRange(min = 1, max = 4) final int depth,
        @ForAll @IntRange(min = 0, max = 3) final int drafts,
        @ForAll @IntRange(min = 0, max = 3) final int acceptance,
        @ForAll final boolean faults,
        @ForAll final boolean lockStep,
        @ForAll @IntRange(min = 0, max = DepthCase.MOST_SHAPE) final int shape)
    {
        new DepthCase(depth, drafts, DepthCase.ACCEPTANCES.get(acceptance), faults, lockStep, shape, actions).play();
    }
}
