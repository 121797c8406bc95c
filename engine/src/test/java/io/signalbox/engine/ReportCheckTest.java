// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.EventReader;
import io.signalbox.event.MessageNames;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Reports that a backend must not make; its clients get their results nevertheless. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReportCheckTest
{
    /** A journaled fault of a step. */
    private record Fault(FaultClass faultClass, long step, String detail)
    {
    }

    private static final ModelShape SHAPE = new ModelShape(2, 64, 4);
    private static final long LONG_ENOUGH = 30_000_000_000L;

    private final ScriptedBackend backend = new ScriptedBackend();
    private final RecordingJournal journal = new RecordingJournal();
    private final EngineConfig context = new EngineConfig()
        .scheduler(SchedulerConfig.builder().ranks(2).kvBlocks(64).backOffNanos(0)
            .router("round-robin").capture(SHAPE).build())
        .backend(backend).journal(journal).vocabularySize(1000);
    private final EngineClient client = new EngineClient(context);
    private final SteppedEngine engine = new SteppedEngine(context);
    private CompletionHandle handle;

    private void submit() throws InterruptedException
    {
        client.connect(engine);
        handle = client.submit(CompletionRequest.prompt(new int[40]).maxNewTokens(2), LONG_ENOUGH);
        assertEquals(1, plan().step());
    }

    @AfterEach
    void shouldServeTheClientAndRunOn() throws Exception
    {
        if (handle != null)
        {
            for (int step = 0; step < 4 && handle.tokens().length < 2; step++)
            {
                backend.complete(placedOn());
            }
            assertEquals(FinishReason.LENGTH, handle.ended().get(60, TimeUnit.SECONDS).reason());
        }
        engine.close();
    }

    /** The rank whose plan is the newest: the request is on it. */
    private int placedOn()
    {
        return backend.plan(1) == null ? 0 : 1;
    }

    private PlannedStep plan()
    {
        return backend.plan(placedOn());
    }

    /** The fault that was journaled last, or null. */
    private Fault lastFault()
    {
        final Fault[] last = new Fault[1];
        final EventReader reader = new EventReader()
        {
            @Override
            protected void onBackendFault(final BackendFaultDecoder fault)
            {
                last[0] = new Fault(fault.faultClass(), fault.step(), fault.detail());
            }
        };
        journal.recorded.forEach(
            group -> reader.readGroup(new UnsafeBuffer(group.group()), 0, group.group().length));
        return last[0];
    }

    private void complete(final StepTokens tokens, final CaptureSlice rows)
    {
        final PlannedStep plan = plan();
        backend.sink().d2hComplete(CompletionSink.NOW, plan.epoch(), plan.rank(), plan.step(), tokens, rows);
    }

    private void assertFault(final FaultClass faultClass, final long step, final String detail)
    {
        assertEquals(new Fault(faultClass, step, detail), lastFault());
    }

    private void assertRetried(final String detail)
    {
        assertFault(FaultClass.STEP_FAILED, 1, detail);
        assertEquals(2, plan().step(), "the request starts over");
    }

    @Test
    void shouldFailAStepWithATokenOutsideTheVocabulary() throws Exception
    {
        submit();
        complete(plan().sampled(-7), backend.rows(40));
        assertRetried("step 1 of rank 0 sampled token -7 for entry 0, but tokens are 0 to 999");
        complete(plan().sampled(1000), backend.rows(40));
        assertFault(FaultClass.STEP_FAILED, 2, "step 2 of rank 0 sampled token 1000 for entry 0, but tokens are 0 to 999");
    }

    @Test
    void shouldFailAStepWithAnotherNumberOfTokens() throws Exception
    {
        submit();
        complete(plan().ofEntries(3), backend.rows(40));
        assertRetried("step 1 of rank 0 has 1 entries but came with tokens of 3");
        complete(plan().ofEntries(0), backend.rows(40));
        assertFault(FaultClass.STEP_FAILED, 2, "step 2 of rank 0 has 1 entries but came with tokens of 0");
    }

    @Test
    void shouldFailAStepWithoutTokens() throws Exception
    {
        submit();
        complete(null, backend.rows(40));
        assertRetried("step 1 of rank 0 came without its tokens");
    }

    @Test
    void shouldFailAStepWithoutRows() throws Exception
    {
        submit();
        complete(plan().sampled(), null);
        assertRetried("step 1 of rank 0 came without its routed-expert rows");
    }

    @Test
    void shouldFailAStepWithAnotherNumberOfRows() throws Exception
    {
        submit();
        complete(plan().sampled(), backend.rows(41));
        assertRetried("step 1 of rank 0 computes 40 tokens with routed-expert rows of 8 bytes but came with 41 rows of 8 " +
            "bytes");
        complete(plan().sampled(), new HeapSlice(new UnsafeBuffer(new byte[320]), 40, Integer.MAX_VALUE));
        assertFault(FaultClass.STEP_FAILED, 2, "step 2 of rank 0 computes 40 tokens " +
            "with routed-expert rows of 8 bytes but " +
            "came with 40 rows of 2147483647 bytes");
    }

    @Test
    void shouldFailAStepWhoseSliceEndsBeforeItsRows() throws Exception
    {
        submit();
        complete(plan().sampled(), new HeapSlice(new UnsafeBuffer(new byte[319]), 40, 8));
        assertRetried("step 1 of rank 0 has 320 bytes of routed-expert rows, but its slice begins at byte 0 of 319");
        complete(plan().sampled(), new BrokenSlice(null));
        assertFault(FaultClass.STEP_FAILED, 2,
            "step 2 of rank 0 has its routed-expert rows neither in an array nor in a ByteBuffer");
    }

    @Test
    void shouldFailAStepWhoseSliceThrows() throws Exception
    {
        submit();
        final BrokenSlice slice = new BrokenSlice(new IllegalArgumentException("planted"));
        complete(plan().sampled(), slice);
        assertRetried("the capture slice of step 1 of rank 0 failed: java.lang.IllegalArgumentException: planted");
        assertEquals(1, slice.releases);
    }

    @Test
    void shouldGiveUpARankThatReportsAStepItWasNeverGiven() throws Exception
    {
        submit();
        final HeapSlice rows = backend.rows(40);
        backend.sink().d2hComplete(CompletionSink.NOW, 0, 0, 99, plan().sampledAs(0, 0, 99), rows);
        assertFault(FaultClass.RANK_LOST, 1,
            "the backend reported step 99 of epoch 0 for rank 0, which was given step 1 of epoch 0 last");
        assertEquals(0x55, rows.buffer().getByte(0), "the slice was not released");
        assertEquals(1, backend.plan(1).step(), "the request moves to the other rank");
    }

    @Test
    void shouldGiveUpARankThatReportsAnEpochItWasNeverGiven() throws Exception
    {
        submit();
        backend.sink().fault(CompletionSink.NOW, 3, 0, 1, StepFault.STEP_FAILED, "planted");
        assertFault(FaultClass.RANK_LOST, 1, "the backend reported step 1 of epoch 3 for rank 0, " +
            "which was given step 1 of " +
            "epoch 0 last, with the fault: planted");
    }

    @Test
    void shouldNameAReportOfARankThatWasGivenNoStep() throws Exception
    {
        submit();
        backend.sink().d2hComplete(CompletionSink.NOW, 0, 1, 5, plan().sampledAs(0, 1, 5), backend.rows(40));
        assertFault(FaultClass.RANK_LOST, 0,
            "the backend reported step 5 of epoch 0 for rank 1, which was given no step yet");
        assertEquals(0, placedOn(), "the other rank runs on");
    }

    @Test
    void shouldIgnoreASecondReportOfAStep() throws Exception
    {
        submit();
        final PlannedStep first = plan();
        backend.complete(0);
        backend.sink().d2hComplete(CompletionSink.NOW, 0, 0, first.step(), first.sampled(), backend.rows(40));
        assertFault(FaultClass.STEP_FAILED, 1, "step 1 of rank 0 was reported twice");
        final PlannedStep second = plan();
        assertEquals(2, second.step(), "the step in flight stays");
        backend.complete(0);
        backend.sink().d2hComplete(CompletionSink.NOW, 0, 0, 2, second.sampled(), backend.rows(1));
        assertFault(FaultClass.STEP_FAILED, 2, "step 2 of rank 0 was reported twice");
    }

    @Test
    void shouldTellAFormerStepFromAStepThatWasNeverGiven()
    {
        assertTrue(ReportCheck.isFormer(0, 3, 0, 2));
        assertTrue(ReportCheck.isFormer(1, 3, 0, 9), "of a former epoch");
        assertFalse(ReportCheck.isFormer(0, 3, 0, 4));
        assertFalse(ReportCheck.isFormer(0, 3, 1, 2), "of an epoch to come");
        assertFalse(ReportCheck.isFormer(0, 3, 0, 0), "steps count from 1");
    }

    /** Both ranks have a step of the same number with an entry at the same position. */
    @Test
    void shouldFailTheStepWhoseResultsAreReportedForAnotherRank() throws Exception
    {
        submit();
        final CompletionHandle other = client.submit(CompletionRequest.prompt(new int[40]).maxNewTokens(1), LONG_ENOUGH);
        final PlannedStep ofOther = backend.plan(1);
        assertEquals(plan0().step(), ofOther.step());
        backend.sink().d2hComplete(CompletionSink.NOW, 0, 1, 1, plan0().sampled(), backend.rows(40));
        assertFault(FaultClass.STEP_FAILED, 1,
            "the results of step 1 of rank 0 in epoch 0 were reported for step 1 of rank 1 in epoch 0");
        assertEquals(2, plan0().step(), "the request whose results went astray starts over");
        assertEquals(ofOther, backend.plan(1), "the other rank's step stays in flight");
        backend.complete(1);
        assertEquals(FinishReason.LENGTH, other.ended().get(60, TimeUnit.SECONDS).reason());
        while (handle.tokens().length < 2)
        {
            backend.complete(0);
        }
    }

    private PlannedStep plan0()
    {
        return backend.plan(0);
    }

    @Test
    void shouldFailAStepThatIsReportedWithFormerOrNamelessResults() throws Exception
    {
        submit();
        final PlannedStep first = plan();
        backend.complete(0);
        complete(first.sampled(), backend.rows(1));
        assertFault(FaultClass.STEP_FAILED, 2, "step 2 of rank 0 came with the results of step 1 of rank 0 in epoch 0");
        complete(new StepTokens(), backend.rows(41));
        assertFault(FaultClass.STEP_FAILED, 3, "step 3 of rank 0 came with results that name no step");
    }

    @Test
    void shouldFailAStepWithAProbabilityAboveOne() throws Exception
    {
        submit();
        complete(new StepTokens().begin(0, 0, 1).entry(0).accept(5, 0.5f), backend.rows(40));
        assertRetried("step 1 of rank 0 sampled a token with the log-probability 0.5 for entry 0, but no probability is " +
            "above 1");
    }

    @Test
    void shouldRefuseARankThatDoesNotExist() throws Exception
    {
        submit();
        final HeapSlice rows = backend.rows(40);
        final String refusal =
            "rank=77 of a backend's report is not one of the ranks 0 to 1; report the rank that the plan names.";
        assertEquals(refusal, assertThrows(IllegalArgumentException.class,
            () -> backend.sink().d2hComplete(CompletionSink.NOW, 0, 77, 1, plan().sampled(), rows)).getMessage());
        assertEquals(0x55, rows.buffer().getByte(0), "the slice was not released");
        assertEquals(refusal, assertThrows(IllegalArgumentException.class,
            () -> backend.sink().forward(CompletionSink.NOW, 0, 77, 1, 1)).getMessage());
        assertThrows(IllegalArgumentException.class,
            () -> backend.sink().fault(CompletionSink.NOW, 0, -1, 1, StepFault.STEP_FAILED, "planted"));
    }

    @Test
    void shouldJournalAFaultWithoutClassOrReason() throws Exception
    {
        submit();
        backend.sink().fault(CompletionSink.NOW, 0, 0, 1, null, null);
        assertFault(FaultClass.RANK_LOST, 1, "the backend gave no reason (reported without a fault class)");
    }

    @Test
    void shouldCutALongReason() throws Exception
    {
        submit();
        backend.sink().fault(CompletionSink.NOW, 0, 0, 1, StepFault.STEP_FAILED, "x".repeat(3_000_000));
        assertRetried("x".repeat(4096));
    }

    @Test
    void shouldJournalNoCompletionThatItRefused() throws Exception
    {
        submit();
        complete(plan().sampled(-7), backend.rows(40));
        for (final RecordingJournal.Recorded group : journal.recorded)
        {
            assertFalse(MessageNames.ofGroup(group.group()).contains("D2hComplete"));
        }
    }

    /** Its methods throw, or its buffer is missing. */
    private static final class BrokenSlice implements CaptureSlice
    {
        private final RuntimeException failure;
        private int releases;

        BrokenSlice(final RuntimeException failure)
        {
            this.failure = failure;
        }

        @Override
        public DirectBuffer buffer()
        {
            if (failure != null)
            {
                throw failure;
            }
            return null;
        }

        @Override
        public int offset()
        {
            return 0;
        }

        @Override
        public int rowCount()
        {
            return 40;
        }

        @Override
        public int rowBytes()
        {
            return SHAPE.rowBytes();
        }

        @Override
        public void release()
        {
            releases++;
        }
    }
}
