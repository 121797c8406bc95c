// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.RetentionLimits;
import io.signalbox.journal.SmallRetention;
import io.signalbox.journal.UpkeepListener;
import io.signalbox.journal.Verification;
import io.signalbox.router.DpRouters;
import org.agrona.LangUtil;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An engine whose listener of the upkeep throws, blocks, calls back or closes it while segments are removed. */
@Tag("threads")
@Timeout(300)
final class UpkeepListenerTest
{
    private static final JournalConfig TWO_SEGMENTS = new JournalConfig(Durability.PROCESS, 1 << 16, 1 << 18)
        .withSnapshotEvery(200).withRetention(RetentionLimits.NONE.withMostSegments(2));
    private static final int TRACK_SLOTS = 16;
    private static final int NEW_TOKENS = 5;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int MOST_ROUNDS = 5_000;

    @TempDir
    private Path temporary;

    /** Of a listener, when segments were removed. */
    @FunctionalInterface
    private interface Reaction
    {
        void run() throws Exception;
    }

    /** Does it at every removal; keeps what went wrong. */
    private static final class Reacting implements UpkeepListener
    {
        private final AtomicReference<Reaction> reaction = new AtomicReference<>(() -> { });
        private final AtomicReference<String> failure = new AtomicReference<>();
        private final AtomicInteger removals = new AtomicInteger();
        private final Semaphore told = new Semaphore(0);

        @Override
        public void onRemoval(final UpkeepListener.Removal removal)
        {
            removals.incrementAndGet();
            told.release();
            try
            {
                reaction.get().run();
            }
            catch (final Exception | Error e)
            {
                LangUtil.rethrowUnchecked(e);
            }
        }

        @Override
        public void onFailure(final String sentence, final boolean continues)
        {
            failure.compareAndSet(null, sentence);
        }
    }

    private SignalboxEngine launch(final UpkeepListener listener)
    {
        final DirectoryJournal journal =
            new DirectoryJournal(temporary.resolve("journal"), TWO_SEGMENTS).withUpkeep(listener, DpRouters.installed());
        return SignalboxEngine.launch(new EngineConfig().scheduler(Incarnation.config(2).build())
            .backend(new ContentBackend(2, true)).trackSlots(TRACK_SLOTS)
            .runJournal(SmallRetention.prompt(journal, TRACK_SLOTS)));
    }

    private static Ask request(final int number)
    {
        final int[] prompt = new int[4 + number % 30];
        Arrays.setAll(prompt, i -> (i * 3 + number % 5) % ContentModel.VOCABULARY);
        return new Ask(prompt, NEW_TOKENS, -1, 0);
    }

    /** Forty requests, each answered as the model says. */
    private static void serve(final SignalboxEngine engine) throws Exception
    {
        final List<CompletionHandle> handles = new ArrayList<>();
        for (int i = 0; i < 40; i++)
        {
            handles.add(engine.submit(request(i).request()));
        }
        for (int i = 0; i < handles.size(); i++)
        {
            handles.get(i).await(PATIENCE);
            assertArrayEquals(ContentModel.generated(request(i), NEW_TOKENS), handles.get(i).tokens());
        }
    }

    private static void serveUntil(final SignalboxEngine engine, final Reacting listener, final int removals)
        throws Exception
    {
        for (int round = 0; listener.removals.get() < removals; round++)
        {
            serve(engine);
            assertTrue(round < MOST_ROUNDS, () -> "never removed: " + listener.failure.get());
            // Leaves the processor to the thread beside the engine.
            listener.told.tryAcquire(20, TimeUnit.MILLISECONDS);
        }
    }

    private void assertContinues()
    {
        final Verification found =
            JournalVerifier.verifyKept(temporary.resolve("journal"), DpRouters.installed(), ReadProgress.NONE);
        assertTrue(found.matches(), String.valueOf(found.difference()));
    }

    @Test
    void shouldGoOnIfTheListenerThrowsOrIsInterrupted() throws Exception
    {
        final Reacting listener = new Reacting();
        final List<Throwable> thrown = List.of(new IllegalStateException("planted"), new AssertionError("planted"),
            new IOException("planted"), new OutOfMemoryError("planted"));
        listener.reaction.set(() ->
        {
            Thread.currentThread().interrupt();
            LangUtil.rethrowUnchecked(thrown.get(listener.removals.get() % thrown.size()));
        });
        try (SignalboxEngine engine = launch(listener))
        {
            serveUntil(engine, listener, 5);
            assertTrue(engine.failure().isEmpty());
        }
        assertNull(listener.failure.get());
        assertContinues();
    }

    @Test
    void shouldServeAndCloseWhileTheListenerBlocks() throws Exception
    {
        final Reacting listener = new Reacting();
        final CountDownLatch held = new CountDownLatch(1);
        final CountDownLatch left = new CountDownLatch(1);
        listener.reaction.set(() ->
        {
            held.await();
            left.countDown();
        });
        try (SignalboxEngine engine = launch(listener))
        {
            serveUntil(engine, listener, 1);
            serve(engine);
        }
        // The engine is closed, and another one runs, while the listener of the first is still being called.
        try (SignalboxEngine engine = launch(new Reacting()))
        {
            serve(engine);
            held.countDown();
            assertTrue(left.await(60, TimeUnit.SECONDS));
            serve(engine);
        }
        assertEquals(1, listener.removals.get(), "called behind the close");
        assertNull(listener.failure.get());
        assertContinues();
    }

    @Test
    void shouldAnswerAListenerThatCallsTheEngine() throws Exception
    {
        final Reacting listener = new Reacting();
        final CountDownLatch answered = new CountDownLatch(2);
        try (SignalboxEngine engine = launch(listener))
        {
            listener.reaction.set(() ->
            {
                serve(engine);
                assertTrue(engine.resetCache());
                assertTrue(engine.stats().requests().accepted() > 0);
                answered.countDown();
            });
            serveUntil(engine, listener, listener.removals.get() + 2);
            assertTrue(answered.await(60, TimeUnit.SECONDS));
        }
        assertNull(listener.failure.get());
        assertContinues();
    }

    /** It even launches the next engine of the run. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLetTheListenerCloseTheEngine(final boolean now) throws Exception
    {
        final Reacting listener = new Reacting();
        final CountDownLatch done = new CountDownLatch(1);
        final SignalboxEngine engine = launch(listener);
        listener.reaction.set(() ->
        {
            if (now)
            {
                engine.closeNow();
            }
            else
            {
                engine.close();
            }
            try (SignalboxEngine next = launch(new Reacting()))
            {
                serve(next);
            }
            done.countDown();
        });
        while (done.getCount() > 0)
        {
            try
            {
                serve(engine);
            }
            // It drains, or is closed.
            catch (final IllegalStateException | AssertionError e)
            {
                assertTrue(done.await(60, TimeUnit.SECONDS), e.toString());
            }
        }
        engine.close();
        assertTrue(engine.failure().isEmpty());
        assertNull(listener.failure.get());
        assertContinues();
    }
}
