// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineGateTest
{
    private final SchedulerConfig config = SchedulerConfig.builder().ranks(1).kvBlocks(64).build();
    private final InputWriter writer = new InputWriter();

    private void offerWake(final Engine engine)
    {
        writer.wake().timeNanos(1);
        engine.offer(writer.buffer(), 0, writer.length(), null);
    }

    @ParameterizedTest
    @EnumSource(HandlerThreads.class)
    void shouldShowAGroupToTheListenerOnlyWhenItIsDurable(final HandlerThreads threads)
    {
        final RecordingJournal journal = new RecordingJournal();
        final AtomicInteger seen = new AtomicInteger();
        final AtomicInteger early = new AtomicInteger();
        final GroupListener listener = (group, offset, length) ->
        {
            final int index = seen.incrementAndGet();
            early.addAndGet(index > journal.durableCount() ? 1 : 0);
        };
        try (ThreadedEngine engine = new ThreadedEngine(new EngineConfig().scheduler(config)
            .backend(new SilentBackend()).journal(journal).listener(listener).handlerThreads(threads)))
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

    @ParameterizedTest
    @EnumSource(HandlerThreads.class)
    void shouldStopTakingInputsAfterAHandlerFailed(final HandlerThreads threads)
    {
        final FailingJournal journal = new FailingJournal(5);
        final AtomicInteger seen = new AtomicInteger();
        final ThreadedEngine engine = new ThreadedEngine(new EngineConfig().scheduler(config).backend(new SilentBackend())
            .journal(journal).listener((group, offset, length) -> seen.incrementAndGet()).ingressSlots(8).trackSlots(8)
            .handlerThreads(threads));
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
        final ThreadedEngine engine = new ThreadedEngine(new EngineConfig().scheduler(config).backend(backend));
        engine.close();
        assertTrue(backend.isClosed());
        assertThrows(IllegalStateException.class, () -> offerWake(engine));
    }

    @Test
    void shouldSkipAnInputThatCouldNotBeCopiedAndNotRepeatTheSlotsFormerOne()
    {
        final RecordingJournal journal = new RecordingJournal();
        writer.wake().timeNanos(1);
        final UnsafeBuffer unreadable = new UnreadableInput(writer);
        try (ThreadedEngine engine = new ThreadedEngine(new EngineConfig().scheduler(config).backend(new SilentBackend())
            .journal(journal).wakeSource(EngineConfig.WakeSource.CALLER).ingressSlots(8).trackSlots(8)))
        {
            // Three offers a round over eight slots: each slot has held a good input before it gets a bad one.
            for (int round = 0; round < 20; round++)
            {
                offerWake(engine);
                offerWake(engine);
                assertThrows(
                    IndexOutOfBoundsException.class, () -> engine.offer(unreadable, 0, unreadable.capacity(), null));
            }
            engine.awaitProcessed();
            assertNull(engine.failure());
        }
        assertEquals(40, journal.recorded.size());
    }

    /** Throws on every copy. */
    private static final class UnreadableInput extends UnsafeBuffer
    {
        UnreadableInput(final InputWriter writer)
        {
            super(new byte[writer.length()]);
            putBytes(0, writer.buffer(), 0, writer.length());
        }

        @Override
        public void boundsCheck(final int index, final int length)
        {
            throw new IndexOutOfBoundsException("planted");
        }
    }

    private static void assertRefused(final String message, final Executable offer)
    {
        assertEquals(message, assertThrows(IllegalArgumentException.class, offer).getMessage());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRefuseAnInputAboveTheBoundOrWithoutAHeaderAndGoOn(final boolean threaded)
    {
        final EngineConfig context = new EngineConfig().scheduler(config).backend(new SilentBackend());
        final UnsafeBuffer large = new UnsafeBuffer(new byte[Engine.MAX_INPUT_BYTES + 1]);
        try (Engine engine = threaded ? new ThreadedEngine(context) : new SteppedEngine(context))
        {
            final IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> engine.offer(large, 0, large.capacity(), null));
            assertEquals("an input of 8388609 bytes is above the bound of 8388608 bytes", refusal.getMessage());
            assertThrows(IllegalArgumentException.class, () -> engine.offer(large, 0, 7, null));
            assertRefused("an input of 64 bytes at byte 8388609 leaves its buffer of 8388609 bytes",
                () -> engine.offer(large, large.capacity(), 64, null));
            assertRefused("an input of 64 bytes at byte -1 leaves its buffer of 8388609 bytes",
                () -> engine.offer(large, -1, 64, null));
            assertRefused("the input is null; give the buffer of an encoded input", () -> engine.offer(null, 0, 64, null));
            assertRefused("template 0 of schema 0 is no input; inputs are 1 to 11 of schema 7201",
                () -> engine.offer(large, 0, 64, null));
            writer.submit();
            assertRefused("an input of 80 bytes is shorter than its header and its block of 102 bytes",
                () -> engine.offer(writer.buffer(), 0, 80, null));
            final UnsafeBuffer older = new UnsafeBuffer(new byte[200]);
            older.putBytes(0, writer.buffer(), 0, 98);
            older.putShort(MessageHeaderDecoder.versionEncodingOffset(), (short)4, ByteOrder.LITTLE_ENDIAN);
            assertRefused("an input has version 4 of its schema; encode it with the codecs of this build, which have " +
                "version 5", () -> engine.offer(older, 0, 200, null));
            writer.wake().timeNanos(1);
            final HeapSlice rows = HeapSlice.empty();
            assertRefused("routed-expert rows came with an input that is no D2hComplete whose form is CHUNKED",
                () -> engine.offer(writer.buffer(), 0, writer.length(), rows));
            assertEquals(1, rows.releases());
            final ReportEncoding report = new ReportEncoding(
                new ReportCheck(new ModelShape(10, 256, 100), 100, EngineConfig.ImpossibleRows.MISSING));
            report.d2hComplete(1, null, new StepTokens().begin(0, 0, 1),
                new HeapSlice(new UnsafeBuffer(new byte[5000]), 5, 1000));
            assertRefused("a D2hComplete whose form is CHUNKED came without its routed-expert rows",
                () -> engine.offer(report.buffer(), 0, report.length(), null));
            offerWake(engine);
            engine.awaitProcessed();
        }
    }

    @Test
    void shouldRefuseARingThatIsNoPowerOfTwoAndABackendThatIsMissing()
    {
        assertThrows(ConfigException.class,
            () -> new SteppedEngine(new EngineConfig().scheduler(config).backend(new SilentBackend()).trackSlots(100)));
        assertThrows(ConfigException.class, () -> new SteppedEngine(new EngineConfig().scheduler(config)));
    }

    @Test
    void shouldRefuseSpinningWithFewerCoresThanThreads()
    {
        final int cores = Runtime.getRuntime().availableProcessors();
        for (final HandlerThreads handlers : HandlerThreads.values())
        {
            final int threads = 1 + TrackHandlers.threads(handlers);
            final EngineConfig context = new EngineConfig().scheduler(config).backend(new SilentBackend())
                .waiting(EngineConfig.Waiting.SPINNING).handlerThreads(handlers);
            if (cores < threads)
            {
                final ConfigException refusal =
                    assertThrows(ConfigException.class, () -> new ThreadedEngine(context));
                assertTrue(refusal.getMessage().contains("the engine's " + threads + " threads"), refusal.getMessage());
            }
            else
            {
                new ThreadedEngine(context).close();
            }
        }
        assertEquals(2, 1 + TrackHandlers.threads(HandlerThreads.ONE));
        assertEquals(4, 1 + TrackHandlers.threads(HandlerThreads.EACH));
    }
}
