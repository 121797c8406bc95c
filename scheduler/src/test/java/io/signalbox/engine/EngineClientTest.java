// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RequestRows;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class EngineClientTest
{
    private static final long SECOND = 1_000_000_000L;

    private final SchedulerConfig config = SchedulerConfig.builder()
        .ranks(2).blockSizeTokens(16).kvBlocks(65).capture(new ModelShape(2, 64, 2)).build();
    private final AtomicLong clock = new AtomicLong();
    private final EngineClient client = new EngineClient(config, 8, clock::incrementAndGet);

    private EngineContext context()
    {
        return new EngineContext().config(config).ingressSlots(8).trackSlots(8)
            .listener(client.listener()).failureListener(client::failAll);
    }

    private static CompletionRequest request(final int promptTokens, final int maxNewTokens)
    {
        return CompletionRequest.of(IntStream.range(0, promptTokens).toArray(), maxNewTokens);
    }

    @Test
    void shouldCompleteRequestsWithTheirTokensAndRows() throws Exception
    {
        try (ThreadedEngine engine = new ThreadedEngine(context().backend(new RacingBackend())))
        {
            client.connect(engine);
            final List<CompletionHandle> handles = new ArrayList<>();
            for (int i = 0; i < 100; i++)
            {
                handles.add(client.submit(request(40, 7), 30 * SECOND));
            }
            for (final CompletionHandle handle : handles)
            {
                final CompletionHandle.Ended ended = handle.ended().join();
                assertEquals(FreeReason.LENGTH, ended.reason());
                assertEquals(7, ended.tokens().length);
                assertEquals(46, ended.capturedRows() + ended.inheritedRows());
            }
        }
    }

    @Test
    void shouldHandOverTheRowsOnceFromTheWantedPosition() throws Exception
    {
        try (ThreadedEngine engine = new ThreadedEngine(context().backend(new RacingBackend())))
        {
            client.connect(engine);
            final List<CompletionHandle> handles = new ArrayList<>();
            for (int i = 0; i < 50; i++)
            {
                handles.add(client.submit(
                    new CompletionRequest(IntStream.range(0, 40).toArray(), 7, -1, new byte[0], -1, 0, 30), 30 * SECOND));
            }
            for (final CompletionHandle handle : handles)
            {
                handle.ended().join();
                final RoutedExperts experts = client.takeRows(handle);
                assertEquals(30, experts.start());
                assertEquals(16, experts.rows());
                for (final short expert : experts.ids())
                {
                    assertTrue(expert >= 0 && expert < 64, "expert " + expert);
                }
                engine.awaitProcessed();
                assertNull(client.takeRows(handle), "taken once");
            }
        }
    }

    @Test
    void shouldRefuseWithoutACreditAndGiveCreditsBack() throws Exception
    {
        final SteppedEngine engine = new SteppedEngine(context().backend(new SilentBackend()));
        final List<Integer> taken = new ArrayList<>();
        client.connect(new Engine()
        {
            @Override
            public void offer(
                final DirectBuffer input, final int offset, final int length, final CaptureSlice rows)
            {
                taken.add(length);
            }

            @Override
            public void awaitProcessed()
            {
            }

            @Override
            public RequestRows rows(final long requestId)
            {
                return null;
            }

            @Override
            public void close()
            {
            }
        });
        for (int i = 0; i < client.creditCount(); i++)
        {
            assertNotNull(client.submit(request(16, 1), 0));
        }
        assertNull(client.submit(request(16, 1), 0), "every credit is out");
        assertEquals(client.creditCount(), taken.size());
        engine.close();
    }

    @Test
    void shouldTellWhyARequestWasRefused() throws Exception
    {
        try (SteppedEngine engine = new SteppedEngine(context().backend(new SilentBackend())))
        {
            client.connect(engine);
            final CompletionHandle handle = client.submit(request(2000, 1), SECOND);
            assertEquals(RefusalReason.TOO_LONG_FOR_POOL, handle.ended().join().refusal());
        }
    }

    @Test
    void shouldCancelARequestInTheQueue() throws Exception
    {
        try (SteppedEngine engine = new SteppedEngine(
            context().backend(new SilentBackend()).wakeSource(EngineContext.WakeSource.CALLER)))
        {
            client.connect(engine);
            final CompletionHandle handle = client.submit(request(20, 5), SECOND);
            client.cancel(handle);
            assertEquals(FreeReason.CANCELLED, handle.ended().join().reason());
        }
    }

    @Test
    void shouldFailEveryOpenHandleWhenTheEngineFails() throws Exception
    {
        final EngineContext context = context().backend(new SilentBackend()).journal(new FailingJournal(3));
        try (ThreadedEngine engine = new ThreadedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle first = client.submit(request(20, 5), SECOND);
            assertThrows(IllegalStateException.class, () ->
            {
                while (true)
                {
                    client.submit(request(20, 5), SECOND);
                }
            });
            final CompletionException failure = assertThrows(CompletionException.class, () -> first.ended().join());
            assertTrue(failure.getMessage().contains("planted"), failure::getMessage);
            assertThrows(IllegalStateException.class, engine::awaitProcessed);
        }
    }
}
