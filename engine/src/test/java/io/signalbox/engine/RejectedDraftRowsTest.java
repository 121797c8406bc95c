// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.StepTokens;
import io.signalbox.engine.step.LaunchedSteps;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.ScheduleEncoder;
import io.signalbox.experts.ModelShape;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** An impossible row fails a step only if its token counts as computed. */
class RejectedDraftRowsTest
{
    private static final ModelShape SHAPE = new ModelShape(2, 64, 4);
    private static final int ROWS = 3 + 4 + 1;

    /** A chunk of three tokens that samples none, a decode with three drafts, and a decode without. */
    private static LaunchedSteps.Launch launch()
    {
        final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        final ScheduleEncoder plan = new ScheduleEncoder();
        plan.wrapAndApplyHeader(buffer, 0, new MessageHeaderEncoder()).step(1).epoch(0).rank(0).tokens(ROWS);
        plan.admittedCount(0);
        plan.evictedCount(0);
        plan.tableChangesCount(0);
        plan.pendingCount(0);
        final ScheduleEncoder.EntriesEncoder entries = plan.entriesCount(3);
        entries.next().requestId(1).start(0).tokenCount(3).predecessorEntry(0).slack(0).clip(0)
            .predecessorBack((short)0).drafts((short)0).samples(Flag.NO);
        entries.next().requestId(2).start(40).tokenCount(4).predecessorEntry(0).slack(0).clip(0)
            .predecessorBack((short)1).drafts((short)3).samples(Flag.YES);
        entries.next().requestId(3).start(50).tokenCount(1).predecessorEntry(1).slack(2).clip(1)
            .predecessorBack((short)1).drafts((short)0).samples(Flag.YES);
        final LaunchedSteps launches = new LaunchedSteps(1, 1, true);
        launches.launched(new StepView().wrap(buffer, 0));
        return launches.find(0, 0, 1);
    }

    private static CaptureSlice rows(final int impossible)
    {
        final byte[] rows = new byte[ROWS * SHAPE.rowBytes()];
        for (int i = 0; i < rows.length; i++)
        {
            rows[i] = (byte)(i % SHAPE.topK());
        }
        rows[impossible * SHAPE.rowBytes()] = 64;
        return new HeapSlice(new UnsafeBuffer(rows), ROWS, SHAPE.rowBytes());
    }

    /** @param accepted of the entry with drafts. */
    @ParameterizedTest
    @CsvSource({"0, 1, true", "2, 1, true", "3, 1, true", "4, 1, false", "5, 2, false", "5, 3, true", "6, 4, true",
        "3, 0, false", "7, 1, false"})
    void shouldFailAStepForARowThatCounts(final int impossible, final int accepted, final boolean fails)
    {
        final StepTokens tokens = new StepTokens().begin(0, 0, 1).entry(0).entry(40);
        for (int i = 0; i < accepted; i++)
        {
            tokens.accept(5);
        }
        tokens.entry(52);
        final CapturedRowCheck check = new CapturedRowCheck(SHAPE, EngineConfig.ImpossibleRows.FAIL_STEP);
        assertEquals(fails ? "has routed-expert row " + impossible + ", and 0 more, with an id that is no expert or an " +
            "expert twice in a layer" : null, check.fault(rows(impossible), 0, launch(), tokens));
        assertEquals(1, check.impossibleCount());
    }
}
