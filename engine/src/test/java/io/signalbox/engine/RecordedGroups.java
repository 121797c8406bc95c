// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Groups of an engine that ran, as its clients saw them. */
public final class RecordedGroups
{
    public static final int RANKS = 2;
    public static final int KV_BLOCKS = 1025;

    private RecordedGroups()
    {
    }

    /** All groups up to the end of so many requests, which run at the same time as far as there is room. */
    public static List<UnsafeBuffer> ofRequests(final int requests) throws InterruptedException
    {
        final List<UnsafeBuffer> groups = new ArrayList<>();
        final EngineConfig config = new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(RANKS).kvBlocks(KV_BLOCKS).build())
            .backend(new CountingBackend(0))
            .listener((group, offset, length) ->
            {
                final byte[] copy = new byte[length];
                group.getBytes(offset, copy);
                groups.add(new UnsafeBuffer(copy));
            });
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            final List<CompletionHandle> handles = new ArrayList<>();
            for (int i = 0; i < requests; i++)
            {
                handles.add(engine.submit(CompletionRequest.prompt(new int[10 + i % 40]).maxNewTokens(4)));
            }
            for (final CompletionHandle handle : handles)
            {
                assertEquals(4, handle.await().tokenCount());
            }
        }
        return groups;
    }

    /** Groups of requests on one rank, whose pool is too small for the answers of all running requests. */
    public static List<UnsafeBuffer> underPressure(final int requests, final int kvBlocks, final int newTokens)
    {
        final List<UnsafeBuffer> groups = new ArrayList<>();
        final AnsweringBackend backend = new AnsweringBackend();
        final long[] nanos = new long[1];
        try (SteppedEngine engine = new SteppedEngine(new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(kvBlocks).build()).backend(backend)
            .clock(() -> nanos[0] += 1_000)
            .listener((group, offset, length) ->
            {
                final byte[] copy = new byte[length];
                group.getBytes(offset, copy);
                groups.add(new UnsafeBuffer(copy));
            })))
        {
            for (int i = 0; i < requests; i++)
            {
                engine.submit(CompletionRequest.prompt(new int[10 + i % 40]).maxNewTokens(newTokens));
            }
            boolean worked = true;
            while (worked)
            {
                worked = backend.completeNext();
            }
        }
        return groups;
    }
}
