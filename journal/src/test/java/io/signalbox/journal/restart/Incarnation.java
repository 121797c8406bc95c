// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.Engine;
import io.signalbox.engine.EngineClient;
import io.signalbox.engine.EngineContext;
import io.signalbox.engine.RunJournal;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.scheduler.SchedulerConfig;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/** One stepped engine of a run, with its client and its backend. */
final class Incarnation implements AutoCloseable
{
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    final ContentBackend backend;
    final EngineClient client;
    private final Engine engine;

    Incarnation(final RunJournal run, final SchedulerConfig config)
    {
        this(run, config, System::nanoTime, new ContentBackend(2, false));
    }

    Incarnation(
        final RunJournal run, final SchedulerConfig config, final LongSupplier clock, final ContentBackend backend)
    {
        this.backend = backend;
        final EngineContext context = new EngineContext().config(config).backend(backend).clock(clock).runJournal(run);
        client = new EngineClient(context);
        engine = new SteppedEngine(context);
        client.connect(engine);
    }

    static SchedulerConfig.Builder config(final int depth)
    {
        return SchedulerConfig.builder().ranks(2).blockSizeTokens(8).kvBlocks(40).stepTokens(24).depth(depth)
            .maxRunning(6).capture(ContentModel.SHAPE).digestInterval(16);
    }

    Engine engine()
    {
        return engine;
    }

    CompletionHandle submit(final CompletionRequest request) throws InterruptedException
    {
        return client.submit(request, WAIT_NANOS);
    }

    /** Executes so many steps. */
    void turn(final int steps)
    {
        for (int i = 0; i < steps; i++)
        {
            backend.turn();
        }
    }

    /** Executes steps until none is left. */
    void finish()
    {
        boolean worked = true;
        while (worked)
        {
            worked = backend.turn();
        }
    }

    RoutedExperts rows(final CompletionHandle handle) throws InterruptedException, TimeoutException
    {
        return client.takeRows(handle, WAIT_NANOS);
    }

    static CompletionHandle.Ended end(final CompletionHandle handle) throws Exception
    {
        return handle.ended().get(60, TimeUnit.SECONDS);
    }

    @Override
    public void close()
    {
        engine.close();
    }
}
