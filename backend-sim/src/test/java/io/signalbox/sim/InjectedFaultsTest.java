// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.SeededTokens;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.experts.ModelShape;
import io.signalbox.sim.Plans.Entry;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The reports of a simulated backend for steps that a fault befalls. */
class InjectedFaultsTest
{
    private static final ModelShape SHAPE = new ModelShape(2, 16, 2);
    private static final SimulationConfig EXACT = SimulationConfig.DEFAULT
        .withStepCost(new StepCost(1000, 0, 0, 0)).withD2hDelay(new D2hDelay(0, 0, 0));

    private final RecordingSink sink = new RecordingSink();
    private SimulatedBackend backend;

    private void start(final int ranks, final String faults)
    {
        backend = new SimulatedBackend(EXACT.withFaults(FaultPlan.parse(faults)));
        backend.start(ranks, SHAPE, sink);
    }

    /** Gives each rank a step of two tokens at an instant of its number, one entry each. */
    private void submitToAll(final int ranks, final long step)
    {
        for (int rank = 0; rank < ranks; rank++)
        {
            backend.now(rank);
            backend.submit(Plans.plan(rank, step, new Entry(10 + rank, 0, 2)));
        }
    }

    private List<String> reports()
    {
        while (backend.nextNanos() != EventQueue.NEVER)
        {
            backend.now(backend.nextNanos());
            backend.fireNext();
        }
        return sink.events.stream().filter(event -> !event.contains("forward")).toList();
    }

    private static String complete(final long nanos, final int rank, final long step)
    {
        return nanos + " complete rank " + rank + " step " + step + " tokens [" +
            SeededTokens.token(EXACT.seed(), 10 + rank, 2) + "]";
    }

    @Test
    void shouldReportLater()
    {
        start(2, "rank 0 step 1 late 5us");
        submitToAll(2, 1);

        assertEquals(List.of(complete(1001, 1, 1), complete(6000, 0, 1)), reports());
        assertEquals(Map.of("late", 1L), backend.faults().injected());
    }

    @Test
    void shouldReportAfterTheNextCompletionOfAnotherStep()
    {
        start(3, "rank 0 step 1 reordered");
        submitToAll(3, 1);

        assertEquals(List.of(complete(1001, 1, 1), complete(1001, 0, 1), complete(1002, 2, 1)), reports());
    }

    @Test
    void shouldReorderNothingIfNoOtherStepIsInFlight()
    {
        start(2, "rank * step 1 reordered");
        submitToAll(2, 1);

        assertEquals(List.of(complete(1001, 1, 1), complete(1001, 0, 1)), reports());
        assertEquals(Map.of("reordered", 1L), backend.faults().injected());
    }

    @Test
    void shouldNotHoldAReportForOneThatNeverComes()
    {
        start(2, "rank 0 step 1 reordered; rank 1 step 1 dropped");
        submitToAll(2, 1);

        assertEquals(List.of(complete(1001, 0, 1)), reports());
    }

    @Test
    void shouldReleaseAHeldReportWhenTheOtherStepIsAborted()
    {
        start(2, "rank 0 step 1 reordered; rank 1 step 1 late 1s");
        submitToAll(2, 1);
        backend.now(1001);
        for (int event = 0; event < 4; event++)
        {
            backend.fireNext();
        }
        backend.abort(1, 1);

        assertEquals(List.of(complete(1001, 0, 1), complete(1_000_001_001L, 1, 1)), reports());
    }

    @Test
    void shouldReportTwice()
    {
        start(1, "rank 0 step 1 duplicated");
        submitToAll(1, 1);

        assertEquals(List.of(complete(1000, 0, 1), complete(1000, 0, 1)), reports());
        sink.slices.forEach(CaptureSlice::release);
    }

    @Test
    void shouldReportADuplicateAfterTheNextStepWasGiven()
    {
        start(1, "rank 0 step 1 duplicated");
        submitToAll(1, 1);
        backend.now(1000);
        backend.fireNext();
        backend.fireNext();
        backend.submit(Plans.plan(0, 2, new Entry(99, 0, 2), new Entry(98, 0, 2)));

        assertEquals(complete(1000, 0, 1), reports().get(1));
        assertTrue(reports().get(2).startsWith("2000 complete rank 0 step 2"), reports().toString());
    }

    @Test
    void shouldNeverReportADroppedStepAndTakeTheNextOneAfterItsAbort()
    {
        start(1, "rank 0 step 1 dropped");
        submitToAll(1, 1);

        assertEquals(List.of(), reports());
        assertTrue(!backend.anyRankHasRoom());
        backend.abort(0, 1);
        submitToAll(1, 2);
        assertEquals(List.of(complete(2000, 0, 2)), reports(), "the device computes the aborted step to its end");
    }

    @Test
    void shouldReportFaultsWithClassAndText()
    {
        start(3, "rank 0 step 1 failed ECC error, double bit; rank 1 step 1 failed; rank 2 step 1 lost back-after 1ms");
        submitToAll(3, 1);

        assertEquals(List.of(
            "1000 STEP_FAILED rank 0 step 1 ECC error, double bit",
            "1001 STEP_FAILED rank 1 step 1 injected by the fault plan",
            "1002 RANK_LOST rank 2 step 1 the rank was lost: injected by the fault plan"), reports());
        assertTrue(backend.anyRankHasRoom());
    }

    @Test
    void shouldDeliverReportsThatAreOnTheirWayAfterAReset()
    {
        start(2, "rank 0 step 1 late 1ms");
        submitToAll(2, 1);
        backend.now(1000);
        for (int event = 0; event < 3; event++)
        {
            backend.fireNext();
        }
        backend.restart(0);
        backend.now(2000);
        backend.submit(Plans.plan(0, 2, new Entry(10, 0, 2)));

        assertEquals(List.of(complete(1001, 1, 1), complete(3000, 0, 2), complete(1_001_000, 0, 1)), reports());
    }

    @Test
    void shouldReportImpossibleNumbers()
    {
        start(6, "rank 0 step 1 corrupt token-negative; rank 1 step 1 corrupt token-range; " +
            "rank 2 step 1 corrupt token-count; rank 3 step 1 corrupt wrong-step; rank 4 step 1 corrupt wrong-rank; " +
            "rank 5 step 1 corrupt wrong-epoch");
        submitToAll(6, 1);

        assertEquals(List.of(
            "1000 complete rank 0 step 1 tokens [-1]",
            "1001 complete rank 1 step 1 tokens [" + Integer.MAX_VALUE + "]",
            "1002 complete rank 2 step 1 tokens []",
            complete(1003, 3, 1).replace("step 1", "step 2"),
            complete(1004, 4, 1).replace("rank 4", "rank 5"),
            complete(1005, 5, 1)), reports());
        assertEquals(List.of(0, 0, 0, 0, 0, 1), sink.epochs);
    }

    @Test
    void shouldReportImpossibleRows()
    {
        start(4, "rank 0 step 1 corrupt expert-range; rank 1 step 1 corrupt expert-repeated; " +
            "rank 2 step 1 corrupt row-count; rank 3 step 1 corrupt row-bytes");
        submitToAll(4, 1);
        reports();

        final CaptureSlice outOfRange = sink.slices.get(0);
        assertEquals(16, outOfRange.buffer().getByte(outOfRange.offset() + SHAPE.rowBytes()));
        final CaptureSlice repeated = sink.slices.get(1);
        final int lastRow = repeated.offset() + SHAPE.rowBytes();
        assertEquals(repeated.buffer().getByte(lastRow), repeated.buffer().getByte(lastRow + 1));
        assertEquals(1, sink.slices.get(2).rowCount());
        assertEquals(2, sink.slices.get(3).rowCount());
        assertEquals(2 * SHAPE.rowBytes() - 1, sink.slices.get(3).buffer().capacity() - sink.slices.get(3).offset());
        sink.slices.forEach(CaptureSlice::release);
    }

    @Test
    void shouldSpoilNothingOfAnEmptyStep()
    {
        start(2, "rank * step 1 corrupt token-negative");
        backend.submit(Plans.plan(0, 1));

        assertEquals(List.of("1000 complete rank 0 step 1 tokens []"), reports());
        assertEquals(1, backend.faults().notReached());
    }

    @Test
    void shouldSurviveARankThatTheEngineRefuses()
    {
        backend = new SimulatedBackend(EXACT.withFaults(FaultPlan.parse("rank 0 step 1 corrupt wrong-rank")));
        final List<Integer> refused = new ArrayList<>();
        backend.start(1, null, new CompletionSink()
        {
            @Override
            public void forward(final long nanos, final int epoch, final int rank, final long step, final long device)
            {
                // Not of interest.
            }

            @Override
            public void d2hComplete(final long nanos, final int epoch, final int rank, final long step,
                final StepTokens tokens, final CaptureSlice rows)
            {
                refused.add(rank);
                throw new IllegalArgumentException("no rank " + rank);
            }

            @Override
            public void fault(final long nanos, final int epoch, final int rank, final long step,
                final StepFault faultClass, final String detail)
            {
                throw new AssertionError(detail);
            }
        });
        submitToAll(1, 1);

        assertEquals(List.of(), reports());
        assertEquals(List.of(1), refused);
    }
}
