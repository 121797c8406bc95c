// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.event.InputWriter;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineGateTest
{
    private final SchedulerConfig config = SchedulerConfig.builder().ranks(1).kvBlocks(64).build();
    private final InputWriter writer = new InputWriter();

    private void offerWake(final Engine engine)
    {
        writer.wake().timeNanos(1);
        engine.offer(writer.buffer(), 0, writer.length(), null);
    }

    @Test
    void shouldShowAGroupToTheListenerOnlyWhenItIsDurable()
    {
        final RecordingJournal journal = new RecordingJournal();
        final AtomicInteger seen = new AtomicInteger();
        final AtomicInteger early = new AtomicInteger();
        final GroupListener listener = (group, offset, length) ->
        {
            final int index = seen.incrementAndGet();
            early.addAndGet(index > journal.durableCount() ? 1 : 0);
        };
        try (ThreadedEngine engine = new ThreadedEngine(
            new EngineContext().config(config).backend(new SilentBackend()).journal(journal).listener(listener)))
        {
            for (int i = 0; i < 20_000; i++)
            {
                offerWake(engine);
            }
            engine.awaitProcessed();
        }
        assertEquals(20_000, seen.get());
        assertEquals(0, early.get(), "groups shown before they were durable");
    }

    @Test
    void shouldStopTakingInputsAfterAHandlerFailed()
    {
        final FailingJournal journal = new FailingJournal(5);
        final AtomicInteger seen = new AtomicInteger();
        final ThreadedEngine engine = new ThreadedEngine(new EngineContext().config(config).backend(new SilentBackend())
            .journal(journal).listener((group, offset, length) -> seen.incrementAndGet()).ingressSlots(8).trackSlots(8));
        final IllegalStateException refusal = assertThrows(IllegalStateException.class, () ->
        {
            for (int i = 0; i < 1_000_000; i++)
            {
                offerWake(engine);
            }
        });
        assertTrue(refusal.getMessage().contains("planted failure"), refusal::getMessage);
        assertNotNull(engine.failure());
        engine.close();
        assertEquals(5, journal.appended(), "no group after the failed one");
        assertTrue(journal.isClosed());
        assertTrue(seen.get() <= 4);
    }

    @Test
    void shouldRefuseInputsOnceClosed()
    {
        final SilentBackend backend = new SilentBackend();
        final ThreadedEngine engine = new ThreadedEngine(new EngineContext().config(config).backend(backend));
        engine.close();
        assertTrue(backend.isClosed());
        assertThrows(IllegalStateException.class, () -> offerWake(engine));
    }

    @Test
    void shouldSkipAnInputThatCouldNotBeCopiedAndNotRepeatTheSlotsFormerOne()
    {
        final RecordingJournal journal = new RecordingJournal();
        final UnsafeBuffer tooShort = new UnsafeBuffer(new byte[8]);
        try (ThreadedEngine engine = new ThreadedEngine(new EngineContext().config(config).backend(new SilentBackend())
            .journal(journal).wakeSource(EngineContext.WakeSource.CALLER).ingressSlots(8).trackSlots(8)))
        {
            // Three offers a round over eight slots: each slot has held a good input before it gets a bad one.
            for (int round = 0; round < 20; round++)
            {
                offerWake(engine);
                offerWake(engine);
                assertThrows(IndexOutOfBoundsException.class, () -> engine.offer(tooShort, 0, 64, null));
            }
            engine.awaitProcessed();
            assertNull(engine.failure());
        }
        assertEquals(40, journal.recorded.size());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRefuseAnInputAboveTheBoundOrWithoutAHeaderAndGoOn(final boolean threaded)
    {
        final EngineContext context = new EngineContext().config(config).backend(new SilentBackend());
        final UnsafeBuffer large = new UnsafeBuffer(new byte[Engine.MAX_INPUT_BYTES + 1]);
        try (Engine engine = threaded ? new ThreadedEngine(context) : new SteppedEngine(context))
        {
            final IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> engine.offer(large, 0, large.capacity(), null));
            assertEquals("an input of 8388609 bytes is above the bound of 8388608 bytes", refusal.getMessage());
            assertThrows(IllegalArgumentException.class, () -> engine.offer(large, 0, 7, null));
            assertThrows(IndexOutOfBoundsException.class, () -> engine.offer(large, large.capacity(), 64, null));
            offerWake(engine);
            engine.awaitProcessed();
        }
    }

    @Test
    void shouldRefuseARingThatIsNoPowerOfTwoAndABackendThatIsMissing()
    {
        assertThrows(ConfigException.class,
            () -> new SteppedEngine(new EngineContext().config(config).backend(new SilentBackend()).trackSlots(100)));
        assertThrows(ConfigException.class, () -> new SteppedEngine(new EngineContext().config(config)));
    }

    @Test
    void shouldRefuseSpinningWithFewerCoresThanThreads()
    {
        final EngineContext context = new EngineContext().config(config).backend(new SilentBackend())
            .waiting(EngineContext.Waiting.SPINNING);
        if (Runtime.getRuntime().availableProcessors() < 4)
        {
            assertThrows(ConfigException.class, () -> new ThreadedEngine(context));
        }
        else
        {
            new ThreadedEngine(context).close();
        }
    }
}
