// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.engine.step.DeadlineWatch;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.Groups;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.TickDecoder;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineTimerTest
{
    private static final long LONG_ENOUGH = 60_000_000_000L;
    private static final long TIMEOUT = 1000;

    private final AtomicLong clock = new AtomicLong();
    private final HoldingEngine engine = new HoldingEngine();
    private final DeadlineWatch deadlines = new DeadlineWatch();
    private final StepsInFlight steps = new StepsInFlight(2, 2, TIMEOUT, clock::get);
    private final EngineTimer timer = new EngineTimer(engine, deadlines, steps);
    private final InputWriter writer = new InputWriter();

    private void apply(final long nextDeadlineNanos)
    {
        deadlines.applied(writer.buffer(), writer.length(), nextDeadlineNanos);
    }

    private void launch(final int rank, final int epoch, final long step)
    {
        final GroupWriter group = Groups.wakeAndStep(rank, epoch, step);
        follow(group);
    }

    private void follow(final GroupWriter group)
    {
        steps.onGroup(group.buffer(), 0, group.length());
    }

    @Test
    void shouldOfferNothingWhileNothingIsArmed()
    {
        timer.poll(Long.MAX_VALUE);
        assertEquals(List.of(), engine.names());
    }

    @Test
    void shouldTickOnceWhenADeadlineHasPassed()
    {
        writer.wake().timeNanos(0);
        apply(500);
        timer.poll(499);
        assertEquals(List.of(), engine.names());
        timer.poll(500);
        timer.poll(600);
        assertEquals(List.of("Tick"), engine.names());
        final TickDecoder tick = new TickDecoder().wrapAndApplyHeader(engine.held.get(0), 0, new MessageHeaderDecoder());
        assertEquals(500, tick.timeNanos());
    }

    @Test
    void shouldTickAgainForTheNextDeadlineOnceTheFirstTickWasApplied()
    {
        writer.wake().timeNanos(0);
        apply(500);
        timer.poll(500);
        writer.forward().timeNanos(500).step(1).deviceTimeNanos(0).epoch(0).rank(0);
        apply(500);
        timer.poll(550);
        assertEquals(1, engine.held.size(), "the first Tick is still under way");
        writer.tick().timeNanos(500);
        apply(700);
        timer.poll(699);
        assertEquals(1, engine.held.size());
        timer.poll(700);
        assertEquals(2, engine.held.size());
    }

    @Test
    void shouldGiveUpAStepThatIsInFlightForTooLongOnce()
    {
        clock.set(50);
        launch(1, 3, 7);
        timer.poll(50 + TIMEOUT - 1);
        assertEquals(List.of(), engine.names());
        timer.poll(50 + TIMEOUT);
        timer.poll(50 + 2 * TIMEOUT);
        assertEquals(List.of("StepTimedOut"), engine.names());
        final StepTimedOutDecoder timedOut =
            new StepTimedOutDecoder().wrapAndApplyHeader(engine.held.get(0), 0, new MessageHeaderDecoder());
        assertEquals(List.of(1L, 3L, 7L, 50 + TIMEOUT),
            List.of((long)timedOut.rank(), (long)timedOut.epoch(), timedOut.step(), timedOut.timeNanos()));
    }

    @Test
    void shouldTimeAStepFromTheEndOfTheOneBefore()
    {
        launch(0, 0, 1);
        clock.set(10);
        launch(0, 0, 2);
        clock.set(TIMEOUT - 1);
        follow(Groups.wakeAndCommit(0, 0, 1));
        timer.poll(2 * TIMEOUT - 2);
        assertEquals(List.of(), engine.names());
        timer.poll(2 * TIMEOUT - 1);
        assertEquals(List.of("StepTimedOut"), engine.names());
    }

    @Test
    void shouldForgetAStepThatHasEnded()
    {
        launch(0, 0, 1);
        launch(1, 0, 1);
        follow(Groups.wakeAndCommit(0, 0, 1));
        follow(Groups.wakeAndWithdrawn(1, 0, 1));
        timer.poll(10 * TIMEOUT);
        assertEquals(List.of(), engine.names());
    }

    @Test
    void shouldNotForgetAStepForACompletionOfAnother()
    {
        launch(0, 0, 2);
        follow(Groups.wakeAndCommit(0, 0, 1));
        timer.poll(TIMEOUT);
        assertEquals(List.of("StepTimedOut"), engine.names());
    }

    @Test
    void shouldAbortTheStepOfTheBackendAndFailTheRequestsOfTheOnlyRank() throws Exception
    {
        final SilentBackend backend = new SilentBackend();
        final EngineConfig context = context(backend).stepTimeout(Duration.ofNanos(TIMEOUT));
        final EngineClient client = new EngineClient(context);
        try (ThreadedEngine threaded = new ThreadedEngine(context))
        {
            client.connect(threaded);
            final CompletionHandle handle =
                client.submit(CompletionRequest.prompt(new int[20]).maxNewTokens(5), LONG_ENOUGH);
            while (backend.submitted() == 0)
            {
                Thread.onSpinWait();
            }
            clock.addAndGet(2 * TIMEOUT);
            assertEquals(FinishReason.FAILED, handle.ended().join().reason());
            threaded.awaitProcessed();
            assertEquals(1, backend.lastAborted());
        }
    }

    @Test
    void shouldEndAQueuedRequestWhenItsDeadlinePassesWhileNothingElseHappens() throws Exception
    {
        final EngineConfig context = context(new SilentBackend());
        final EngineClient client = new EngineClient(context);
        try (ThreadedEngine threaded = new ThreadedEngine(context))
        {
            client.connect(threaded);
            assertNotNull(client.submit(CompletionRequest.prompt(new int[20]).maxNewTokens(5), LONG_ENOUGH));
            final CompletionHandle queued = client.submit(
                CompletionRequest.prompt(new int[20]).maxNewTokens(5).deadlineAt(5000), LONG_ENOUGH);
            threaded.awaitProcessed();
            clock.set(5000);
            assertEquals(FinishReason.DEADLINE, queued.ended().join().reason());
        }
    }

    private EngineConfig context(final SilentBackend backend)
    {
        return new EngineConfig().scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(64).maxRunning(1).build())
            .backend(backend).clock(clock::get);
    }

    @Test
    void shouldRefuseATimeoutThatIsNegativeOrThatNoTimerWouldKeep()
    {
        final SilentBackend backend = new SilentBackend();
        assertThrows(ConfigException.class, () -> new ThreadedEngine(context(backend).stepTimeout(Duration.ofNanos(-1))));
        assertThrows(ConfigException.class, () -> new SteppedEngine(context(backend).stepTimeout(Duration.ofNanos(1))));
        assertThrows(ConfigException.class, () -> new ThreadedEngine(
            context(backend).stepTimeout(Duration.ofNanos(1)).wakeSource(EngineConfig.WakeSource.CALLER)));
    }
}
