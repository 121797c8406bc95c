// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.engine.step.ReportTimes;
import io.signalbox.event.StepView;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Clocks that are not the engine's. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineClockTest
{
    private static final long HOUR = 3_600_000_000_000L;

    private final ScriptedBackend backend = new ScriptedBackend();
    private final AtomicLong clock = new AtomicLong(1);
    private final EngineConfig context = new EngineConfig()
        .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(64).build()).backend(backend).clock(clock::get);

    /** Hours before the engine began, and ahead of its clock; the ends of the range are ahead and before. */
    @ParameterizedTest
    @CsvSource({"0, 7200 s before the engine began", "10800000000000, 3600 s ahead of the engine's clock",
        "7198999999999, 1.000000001 s before the engine began",
        "7201000000001, 1.000000001 s ahead of the engine's clock",
        "9223372036854775806, 9223364836.854775806 s ahead of the engine's clock",
        "-9223372036854775808, 9223372036.854775807 s before the engine began"})
    void shouldFailAStepThatIsReportedOnAnotherClock(final long time, final String words) throws Exception
    {
        clock.set(2 * HOUR);
        final BlockingQueue<String> sentences = new LinkedBlockingQueue<>();
        context.scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(64).backOffNanos(0).build());
        final EngineClient client =
            new EngineClient(context.stepFailureListener(failed -> sentences.add(failed.sentence())));
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle handle = client.submit(CompletionRequest.prompt(new int[1]).maxNewTokens(1), 1);
            backend.sink().forward(time, 0, 0, 1, 0);
            assertEquals(1, backend.plan(0).step(), "the backend computes the step, so its blocks are not free");
            backend.complete(0);
            assertEquals(2, backend.plan(0).step(), "the first step has failed");
            backend.sink().d2hComplete(time, 0, 0, 2, backend.plan(0).sampled(), null);
            backend.complete(0);
            assertEquals(FinishReason.LENGTH, handle.ended().get(60, TimeUnit.SECONDS).reason());
        }
        for (int step = 1; step <= 2; step++)
        {
            assertEquals(sentence(step, time, words), sentences.poll(60, TimeUnit.SECONDS));
        }
    }

    private static String sentence(final int step, final long time, final String words)
    {
        return "step " + step + " of rank 0 was reported at " + time + " ns, " + words + "; report the time of the clock " +
            "in EngineConfig.clock, or CompletionSink.NOW";
    }

    /** A clock of the device differs a little, and a coarse one shows a time of before. */
    @ParameterizedTest
    @ValueSource(longs = {2 * HOUR - 1_000_000_000L, 2 * HOUR + 1_000_000_000L, CompletionSink.NOW})
    void shouldTakeAReportWithinASecond(final long time) throws Exception
    {
        clock.set(2 * HOUR);
        final EngineClient client = new EngineClient(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle handle = client.submit(CompletionRequest.prompt(new int[1]).maxNewTokens(1), 1);
            backend.sink().forward(time, 0, 0, 1, 0);
            backend.sink().d2hComplete(time, 0, 0, 1, backend.plan(0).sampled(), null);
            assertEquals(FinishReason.LENGTH, handle.ended().get(60, TimeUnit.SECONDS).reason());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1_700_000_000_000_000_000L, Long.MAX_VALUE})
    void shouldNotBelieveAReportFromTheFuture(final long future) throws Exception
    {
        final EngineClient client = new EngineClient(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle handle = client.submit(
                CompletionRequest.prompt(new int[1]).maxNewTokens(1).deadlineAt(HOUR), 1);
            for (int step = 1; step <= 2; step++)
            {
                backend.sink().fault(future, 0, 0, step, StepFault.STEP_FAILED, "planted");
            }
            clock.set(HOUR / 2);
            client.cancel(client.submit(CompletionRequest.prompt(new int[1]).maxNewTokens(1), 1), 1);
            assertEquals(3, backend.plan(0).step(), "the rest is over");
            backend.complete(0);
            assertEquals(FinishReason.LENGTH, handle.ended().get(60, TimeUnit.SECONDS).reason());
        }
    }

    /** After a reboot the clock of the system, and so of the backend, is behind the run. */
    @Test
    void shouldShiftReportsByWhatTheRunIsAheadOfTheClock()
    {
        final ReportTimes times = ReportTimes.of(() -> 7 * HOUR, true, 5 * HOUR);
        assertEquals(7 * HOUR, times.engineNanos(2 * HOUR));
        assertEquals(7 * HOUR, times.engineNanos(CompletionSink.NOW));
        assertEquals(ReportTimes.IMPOSSIBLE, times.engineNanos(7 * HOUR));
        assertEquals("step 9 of rank 1 was reported at 25200000000000 ns, 18000 s ahead of the engine's clock; report " +
            "System.nanoTime(), or CompletionSink.NOW", times.fault(1, 9, 7 * HOUR));
    }

    @Test
    void shouldTakeReportsAfterTheClockWasSetBack()
    {
        clock.set(2 * HOUR);
        final ReportTimes times = ReportTimes.of(clock::get, false, 0);
        clock.set(HOUR);
        assertEquals(HOUR, times.engineNanos(HOUR));
        assertEquals(ReportTimes.IMPOSSIBLE, times.engineNanos(HOUR - 1_000_000_001L));
        assertEquals(ReportTimes.IMPOSSIBLE, times.engineNanos(HOUR + 1_000_000_001L));
        assertEquals(sentence(9, HOUR + 2_000_000_000L, "2 s ahead of the engine's clock"),
            times.fault(0, 9, HOUR + 2_000_000_000L));
    }

    /** In the thread of the backend: the result is lost, and its step would never be answered. */
    @Test
    void shouldStopTheEngineIfTheClockThrows()
    {
        final AtomicBoolean broken = new AtomicBoolean();
        final CountingBackend counting = new CountingBackend(0)
        {
            @Override
            public void submit(final StepView plan)
            {
                broken.set(true);
                super.submit(plan);
            }
        };
        final EngineConfig config = new EngineConfig().backend(counting).clock(() ->
        {
            if (broken.get())
            {
                throw new IllegalStateException("the clock is broken");
            }
            return 1;
        });
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            final CompletionHandle request = engine.submit(CompletionRequest.prompt(new int[1]).maxNewTokens(1));
            assertTrue(assertThrows(IllegalStateException.class, request::await).getMessage().contains("clock is broken"));
            assertEquals("the clock is broken", engine.failure().orElseThrow().getMessage());
        }
    }

    @Test
    void shouldRefuseAClockThatIsNegative()
    {
        clock.set(-1);
        assertEquals("the clock of the engine is negative; give one that counts from an origin before the engine is opened.",
            assertThrows(ConfigException.class, () -> new SteppedEngine(context)).getMessage());
    }
}
