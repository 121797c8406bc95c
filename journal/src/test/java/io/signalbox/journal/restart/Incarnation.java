// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.RunJournal;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.WeightsWay;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.scheduler.SchedulerConfig;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/** One stepped engine of a run, and its backend. */
public final class Incarnation implements AutoCloseable
{
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    final ContentBackend backend;
    private final SteppedEngine engine;

    public Incarnation(final RunJournal run, final SchedulerConfig config)
    {
        this(run, config, System::nanoTime, new ContentBackend(2, false));
    }

    public Incarnation(
        final RunJournal run, final SchedulerConfig config, final LongSupplier clock, final ContentBackend backend)
    {
        this.backend = backend;
        engine = new SteppedEngine(new EngineConfig().scheduler(config).backend(backend).clock(clock).runJournal(run));
    }

    public static SchedulerConfig.Builder config(final int depth)
    {
        return SchedulerConfig.builder().ranks(2).blockSizeTokens(8).kvBlocks(40).stepTokens(24).depth(depth)
            .maxRunning(6).capture(ContentModel.SHAPE).digestInterval(16);
    }

    List<CompletionHandle> resumed()
    {
        return engine.resumed();
    }

    public CompletionHandle submit(final Ask ask)
    {
        return engine.submit(ask.request());
    }

    /** Submits under this id, without the client. */
    void submitAs(final long requestId, final Ask ask)
    {
        final byte[] none = {};
        final ByteBuffer tokens = ByteBuffer.allocate(Integer.BYTES * ask.prompt().length).order(ByteOrder.LITTLE_ENDIAN);
        Arrays.stream(ask.prompt()).forEach(tokens::putInt);
        final InputWriter input = new InputWriter();
        input.submit().timeNanos(1).requestId(requestId).conversationId(-1).predecessorId(-1).thinkTimeNanos(0)
            .deadlineNanos(-1).samplingSeed(0).promptTokens(ask.prompt().length).maxNewTokens(ask.maxNewTokens())
            .rowsFrom(-1).priority(0).rankHint(-1).temperature(0).topP(1).rankHintRelaxed(Flag.NO)
            .putBlockHashes(none, 0, 0).putCacheKey(none, 0, 0).putTokens(tokens.array(), 0, tokens.capacity())
            .putHashChain(none, 0, 0).putStopTokens(none, 0, 0);
        engine.offer(input.buffer(), 0, input.length(), null);
    }

    CompletionHandle submitUntil(final Ask ask, final long deadlineNanos)
    {
        return engine.submit(ask.request().deadlineAt(deadlineNanos));
    }

    CompletionHandle submitWithin(final Ask ask, final Duration deadline)
    {
        return engine.submit(ask.request().deadline(deadline));
    }

    CompletionHandle submit(final CompletionRequest request)
    {
        return engine.submit(request);
    }

    List<CompletionHandle> submitSamples(final CompletionRequest request, final int samples)
    {
        return engine.submit(request, samples);
    }

    void newWeights()
    {
        newWeights(WeightsWay.CONTINUE, "two");
    }

    void newWeights(final WeightsWay way, final String version)
    {
        final InputWriter input = new InputWriter();
        input.control().timeNanos(1).requestId(-1).kind(ControlKind.NEW_WEIGHTS).way(way).note(version);
        engine.offer(input.buffer(), 0, input.length(), null);
    }

    void drain()
    {
        final InputWriter input = new InputWriter();
        input.control().timeNanos(1).requestId(-1).kind(ControlKind.DRAIN).note("");
        engine.offer(input.buffer(), 0, input.length(), null);
    }

    void tick(final long timeNanos)
    {
        final InputWriter input = new InputWriter();
        input.tick().timeNanos(timeNanos);
        engine.offer(input.buffer(), 0, input.length(), null);
    }

    /** Executes so many steps. */
    public void turn(final int steps)
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

    static RoutedExperts rows(final CompletionHandle handle) throws InterruptedException, TimeoutException
    {
        return handle.takeRoutedExperts(PATIENCE).orElse(null);
    }

    /** The rows, which stay. */
    static RoutedExperts storedRows(final CompletionHandle handle) throws InterruptedException, TimeoutException
    {
        return handle.routedExperts(PATIENCE).orElse(null);
    }

    static void releaseRows(final CompletionHandle handle) throws InterruptedException, TimeoutException
    {
        handle.releaseRoutedExperts(PATIENCE);
    }

    static Completion end(final CompletionHandle handle) throws InterruptedException, TimeoutException
    {
        return handle.await(PATIENCE);
    }

    @Override
    public void close()
    {
        engine.close();
    }
}
