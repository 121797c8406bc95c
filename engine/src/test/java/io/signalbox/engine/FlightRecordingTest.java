// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.StepFault;
import io.signalbox.engine.ring.StallEvent;
import io.signalbox.engine.ring.StepEvent;
import io.signalbox.engine.ring.WaitEvent;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.stats.EngineStats;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import jdk.jfr.SettingDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Events of an engine in recordings of the Flight Recorder. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FlightRecordingTest
{
    private static final CompletionRequest REQUEST = CompletionRequest.prompt(new int[10]).maxNewTokens(4);

    @TempDir
    private Path directory;

    private final SchedulerConfig settings = SchedulerConfig.builder().ranks(2).kvBlocks(65).build();

    private static Recording record()
    {
        final Recording recording = new Recording();
        recording.enable(StepEvent.NAME);
        recording.enable(StallEvent.NAME).withThreshold(Duration.ZERO);
        recording.enable(WaitEvent.NAME).withThreshold(Duration.ZERO);
        recording.start();
        return recording;
    }

    private List<RecordedEvent> events(final Recording recording, final String name) throws Exception
    {
        if (recording.getState() == RecordingState.RUNNING)
        {
            recording.stop();
        }
        final Path file = directory.resolve("run.jfr");
        recording.dump(file);
        final List<RecordedEvent> events = new ArrayList<>(RecordingFile.readAllEvents(file));
        events.removeIf(event -> !event.getEventType().getName().equals(name));
        return events;
    }

    @Test
    void shouldHaveEveryStep() throws Exception
    {
        try (Recording recording = record())
        {
            final EngineStats stats;
            try (SignalboxEngine engine =
                SignalboxEngine.launch(new EngineConfig().scheduler(settings).backend(new CountingBackend(0))))
            {
                for (int i = 0; i < 10; i++)
                {
                    engine.submit(REQUEST).await();
                }
                engine.engine().awaitProcessed();
                stats = engine.stats();
            }
            final List<RecordedEvent> steps = events(recording, StepEvent.NAME);
            assertEquals(stats.steps().committed(), steps.size());
            assertEquals(stats.steps().computedTokens(), steps.stream().mapToLong(step -> step.getInt("tokens")).sum());
            final Set<String> seen = new HashSet<>();
            for (final RecordedEvent step : steps)
            {
                assertTrue(step.getBoolean("committed") && step.getInt("entries") == 1, step::toString);
                assertTrue(seen.add(step.getInt("rank") + " " + step.getLong("step")), step::toString);
                assertNull(step.getStackTrace());
            }
        }
    }

    @Test
    void shouldHaveStepsThatFail() throws Exception
    {
        final ScriptedBackend backend = new ScriptedBackend();
        try (Recording recording = record())
        {
            final PlannedStep failed;
            try (SignalboxEngine engine =
                SignalboxEngine.launch(new EngineConfig().scheduler(settings).backend(backend)))
            {
                engine.submit(REQUEST.rankHint(1));
                failed = awaitStepAfter(backend, 0);
                backend.sink().fault(
                    System.nanoTime(), failed.epoch(), failed.rank(), failed.step(), StepFault.STEP_FAILED, "planted");
                awaitStepAfter(backend, failed.step());
                engine.closeNow();
            }
            final List<RecordedEvent> steps = events(recording, StepEvent.NAME);
            assertEquals(1, steps.size(), steps::toString);
            assertEquals(failed.step(), steps.get(0).getLong("step"));
            assertEquals(1, steps.get(0).getInt("rank"));
            assertFalse(steps.get(0).getBoolean("committed"));
        }
    }

    private static PlannedStep awaitStepAfter(final ScriptedBackend backend, final long step)
    {
        PlannedStep plan = backend.plan(1);
        while (plan == null || plan.step() <= step)
        {
            Thread.onSpinWait();
            plan = backend.plan(1);
        }
        return plan;
    }

    @Test
    void shouldShowAJournalThatStalls() throws Exception
    {
        final GatedJournal journal = new GatedJournal();
        try (Recording recording = record())
        {
            final long atLeast;
            try (SignalboxEngine engine = SignalboxEngine.launch(
                new EngineConfig().scheduler(settings).backend(new CountingBackend(0)).journal(journal)
                    .handlerThreads(HandlerThreads.EACH)))
            {
                final CompletionHandle request = engine.submit(REQUEST);
                journal.awaitFirst();
                final long start = System.nanoTime();
                // A call that takes a while, so that the stall is longer than nothing.
                recording.dump(directory.resolve("while.jfr"));
                atLeast = System.nanoTime() - start;
                journal.open();
                request.await();
            }
            assertLonger(events(recording, StallEvent.NAME), "part", "journal", atLeast, "signalbox-journal");
        }
    }

    @Test
    void shouldShowABackendThatStallsAndTheThreadThatWaitsBehindIt() throws Exception
    {
        final CountDownLatch reached = new CountDownLatch(1);
        final CountDownLatch gate = new CountDownLatch(1);
        final DelegatingBackend backend = new DelegatingBackend()
        {
            @Override
            void beforeSubmit()
            {
                reached.countDown();
                try
                {
                    gate.await();
                }
                catch (final InterruptedException e)
                {
                    throw new IllegalStateException(e);
                }
            }
        };
        try (Recording recording = record())
        {
            final long atLeast;
            try (SignalboxEngine engine = SignalboxEngine.launch(
                new EngineConfig().scheduler(settings).backend(backend).ingressSlots(16).trackSlots(8)
                    .handlerThreads(HandlerThreads.EACH)))
            {
                engine.submit(REQUEST);
                reached.await();
                final Thread client = new Thread(() -> submitMore(engine), "client");
                final long start = System.nanoTime();
                client.start();
                while (client.getState() != Thread.State.TIMED_WAITING)
                {
                    Thread.onSpinWait();
                }
                recording.dump(directory.resolve("while.jfr"));
                atLeast = System.nanoTime() - start;
                gate.countDown();
                client.join();
                engine.closeNow();
            }
            final List<RecordedEvent> waits = events(recording, WaitEvent.NAME);
            assertLonger(events(recording, StallEvent.NAME), "part", "backend", atLeast, "signalbox-dispatch");
            assertLonger(waits, "room", "credit", 0, "client");
            assertLonger(waits, "room", "track", 0, "signalbox-scheduler");
        }
    }

    /** More requests than there are slots in both rings. */
    private static void submitMore(final SignalboxEngine engine)
    {
        for (int i = 0; i < 30; i++)
        {
            engine.submit(REQUEST);
        }
    }

    private static void assertLonger(
        final List<RecordedEvent> events, final String field, final String value, final long nanos, final String thread)
    {
        assertTrue(events.stream().anyMatch(event -> event.getString(field).equals(value) &&
            event.getDuration().toNanos() >= nanos && event.getThread().getJavaName().equals(thread)),
            () -> "no " + value + " of " + nanos + " ns in " + events);
    }

    @Test
    void shouldLeaveOutWhatIsShortUnlessARecordingAsksForIt()
    {
        final Map<String, String> thresholds = new TreeMap<>();
        new StallEvent().isEnabled();
        new WaitEvent().isEnabled();
        new StepEvent().isEnabled();
        for (final EventType type : FlightRecorder.getFlightRecorder().getEventTypes())
        {
            for (final SettingDescriptor setting : type.getSettingDescriptors())
            {
                if (type.getName().startsWith("io.signalbox.") && setting.getName().equals("threshold"))
                {
                    thresholds.put(type.getName(), setting.getDefaultValue());
                }
            }
        }
        assertEquals(
            Map.of("io.signalbox.Stall", "10 ms", "io.signalbox.Step", "0 ns", "io.signalbox.Wait", "1 ms"), thresholds);
    }
}
