// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.event.InputWriter;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
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
