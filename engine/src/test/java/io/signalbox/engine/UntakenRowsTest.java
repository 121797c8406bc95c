// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.event.EventReader;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RequestRows;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Rows of routed experts that a client asked for and never takes. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UntakenRowsTest
{
    private static final ModelShape SHAPE = new ModelShape(2, 64, 4);
    private static final long LONG_ENOUGH = 30_000_000_000L;
    private static final int PROMPT = 40;
    /** Three pages of 16 rows of 8 bytes, and the request. */
    private static final long ROWS_BYTES = 3 * 16 * 8 + 1024;

    private final ScriptedBackend backend = new ScriptedBackend();
    private final RecordingJournal journal = new RecordingJournal();
    private final EngineConfig context = new EngineConfig()
        .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(64).prefixCaching(false).capture(SHAPE).build())
        .backend(backend).journal(journal);

    private EngineClient client(final EngineConfig of)
    {
        return new EngineClient(of);
    }

    private List<CompletionHandle> complete(final EngineClient client, final int requests) throws Exception
    {
        final List<CompletionHandle> handles = new ArrayList<>();
        for (int i = 0; i < requests; i++)
        {
            final CompletionHandle handle = client.submit(
                CompletionRequest.prompt(new int[PROMPT]).maxNewTokens(1).routedExperts(0), LONG_ENOUGH);
            backend.complete(0);
            handle.ended().get();
            handles.add(handle);
        }
        return handles;
    }

    private List<Long> discarded()
    {
        final List<Long> ids = new ArrayList<>();
        final EventReader reader = new EventReader()
        {
            @Override
            protected void onControl(final ControlDecoder control)
            {
                if (control.note().startsWith("discarded"))
                {
                    ids.add(control.requestId());
                }
            }
        };
        journal.recorded.forEach(
            group -> reader.readGroup(new UnsafeBuffer(group.group()), 0, group.group().length));
        return ids;
    }

    @Test
    void shouldDiscardTheOldestRowsAboveTheBoundAndSaySo() throws Exception
    {
        context.maxUntakenRowsBytes(3 * ROWS_BYTES);
        final EngineClient client = client(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final List<CompletionHandle> handles = complete(client, 5);
            assertEquals(List.of(1L, 2L), discarded());
            final String message = assertThrows(
                RowsDiscardedException.class, () -> client.takeRows(handles.get(1), LONG_ENOUGH)).getMessage();
            assertEquals("the rows of request 2 are gone: ended requests held more than maxUntakenRowsBytes=4224 of rows " +
                "that nobody took, so the oldest were discarded, of 2 requests so far; take rows sooner, " +
                "or raise the bound.",
                message);
            assertThrows(RowsDiscardedException.class, () -> client.takeRows(handles.get(1), LONG_ENOUGH));
            final RoutedExperts rows = client.takeRows(handles.get(2), LONG_ENOUGH);
            assertEquals(PROMPT, rows.rows());
            assertEquals(3, rows.expert(39, 1, 3));
            assertNull(client.takeRows(handles.get(2), LONG_ENOUGH), "taken before");
            complete(client, 1);
            assertEquals(2, discarded().size(), "what was taken makes room");
        }
    }

    @Test
    void shouldKeepRowsThatWereReadUntilTheyAreReleased() throws Exception
    {
        final EngineClient client = client(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle request = complete(client, 1).get(0);
            for (int i = 0; i < 3; i++)
            {
                assertEquals(PROMPT, request.routedExperts(Duration.ofMinutes(1)).orElseThrow().rows());
            }
            assertEquals(0, released(), "reading releases nothing");
            request.releaseRoutedExperts(Duration.ofMinutes(1));
            request.releaseRoutedExperts(Duration.ofMinutes(1));
            assertEquals(1, released());
            assertNull(request.routedExperts(Duration.ofMinutes(1)).orElse(null), "released");
            assertNull(client.takeRows(request, LONG_ENOUGH), "released");
        }
    }

    @Test
    void shouldDiscardRowsThatWereReadButNotReleasedAboveTheBound() throws Exception
    {
        context.maxUntakenRowsBytes(2 * ROWS_BYTES);
        final EngineClient client = client(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle read = complete(client, 1).get(0);
            assertEquals(PROMPT, read.routedExperts(Duration.ofMinutes(1)).orElseThrow().rows());
            complete(client, 2);
            assertEquals(List.of(1L), discarded());
            assertThrows(RowsDiscardedException.class, () -> read.routedExperts(Duration.ofMinutes(1)));
            read.releaseRoutedExperts(Duration.ofMinutes(1));
            assertEquals(1, released(), "they were released by the discard");
        }
    }

    /** Releases of rows in the journal, discards included. */
    private int released()
    {
        final AtomicInteger count = new AtomicInteger();
        final EventReader reader = new EventReader()
        {
            @Override
            protected void onControl(final ControlDecoder control)
            {
                count.addAndGet(control.kind() == ControlKind.RELEASE_ROWS ? 1 : 0);
            }
        };
        journal.recorded.forEach(
            group -> reader.readGroup(new UnsafeBuffer(group.group()), 0, group.group().length));
        return count.get();
    }

    @Test
    void shouldGiveEveryCreditBackWhenRowsAreGone() throws Exception
    {
        context.maxUntakenRowsBytes(ROWS_BYTES).ingressSlots(8);
        final EngineClient client = client(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final List<CompletionHandle> handles = complete(client, 2);
            for (int i = 0; i < 10 * client.creditCount(); i++)
            {
                assertThrows(RowsDiscardedException.class, () -> client.takeRows(handles.get(0), LONG_ENOUGH));
            }
            assertNotNull(client.submit(CompletionRequest.prompt(new int[3]).maxNewTokens(1), 0));
        }
    }

    @Test
    void shouldKeepRowsThatAClientIsTaking() throws Exception
    {
        context.maxUntakenRowsBytes(2 * ROWS_BYTES);
        final EngineClient client = client(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            complete(client, 1);
            assertNotNull(engine.rows(1));
            complete(client, 4);
            assertEquals(List.of(2L, 3L, 4L), discarded());
            assertNotNull(engine.rows(1), "the client may still be copying");
            assertNull(engine.rows(4));
        }
    }

    /** A copy that runs out of memory takes nothing: the rows count as untaken, and can be asked for again. */
    @Test
    void shouldDiscardRowsThatCouldNotBeCopied() throws Exception
    {
        context.maxUntakenRowsBytes(2 * ROWS_BYTES);
        final EngineClient client = client(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            final ShortOfMemory shortOfMemory = new ShortOfMemory(engine);
            client.connect(shortOfMemory);
            final List<CompletionHandle> handles = complete(client, 2);
            assertThrows(OutOfMemoryError.class, () -> client.takeRows(handles.get(0), LONG_ENOUGH));
            assertThrows(OutOfMemoryError.class, () -> client.takeRows(handles.get(1), LONG_ENOUGH));
            complete(client, 1);
            assertEquals(List.of(1L), discarded(), "the oldest, as if nobody had asked for it");
            shortOfMemory.exhausted = false;
            assertEquals(PROMPT, client.takeRows(handles.get(1), LONG_ENOUGH).rows());
        }
    }

    /** Has no memory for the rows that it is asked for. */
    private static final class ShortOfMemory implements Engine
    {
        private final Engine engine;
        private boolean exhausted = true;

        ShortOfMemory(final Engine engine)
        {
            this.engine = engine;
        }

        @Override
        public long nextTickNanos()
        {
            return Long.MAX_VALUE;
        }

        @Override
        public RequestRows rows(final long requestId)
        {
            final RequestRows rows = engine.rows(requestId);
            if (exhausted)
            {
                throw new OutOfMemoryError("planted");
            }
            return rows;
        }

        @Override
        public void offer(final DirectBuffer input, final int offset, final int length, final CaptureSlice rows)
        {
            engine.offer(input, offset, length, rows);
        }

        @Override
        public void awaitProcessed()
        {
            engine.awaitProcessed();
        }

        @Override
        public void rowsNotTaken(final long requestId)
        {
            engine.rowsNotTaken(requestId);
        }

        @Override
        public void resetRank(final int rank)
        {
            throw new AssertionError("nobody asks for it");
        }

        @Override
        public String describeDiscards()
        {
            return engine.describeDiscards();
        }

        @Override
        public void close()
        {
            engine.close();
        }
    }

    @Test
    void shouldHoldNoMoreThanTheBoundHoweverManyRequestsEnd() throws Exception
    {
        context.maxUntakenRowsBytes(10 * ROWS_BYTES);
        final EngineClient client = client(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            complete(client, 1000);
            final int held = context.concluded().scheduler().liveRequests();
            assertTrue(held <= 10, held + " requests are held");
        }
    }

    @Test
    void shouldDiscardNothingWhenTheCallerOrdersTheInputs() throws Exception
    {
        context.maxUntakenRowsBytes(1).wakeSource(EngineConfig.WakeSource.CALLER);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            final InputWriter writer = new InputWriter();
            final var submit = new SubmitEncoding(context.concluded().config(), Integer.MAX_VALUE, new int[0]);
            submit.encode(CompletionRequest.prompt(new int[PROMPT]).maxNewTokens(1).routedExperts(0), 7).timeNanos(1);
            engine.offer(submit.writer.buffer(), 0, submit.writer.length(), null);
            writer.wake().timeNanos(2);
            engine.offer(writer.buffer(), 0, writer.length(), null);
            backend.complete(0);
            assertNotNull(engine.rows(7));
        }
    }

    @Test
    void shouldRefuseABoundBelowOne()
    {
        assertEquals("maxUntakenRowsBytes=0 is not at least 1; give the bytes of rows that ended requests may hold.",
            assertThrows(ConfigException.class, () -> new SteppedEngine(context.maxUntakenRowsBytes(0))).getMessage());
    }
}
