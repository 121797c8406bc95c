// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.engine.ring.Nanos;
import io.signalbox.engine.step.ClosingSteps;
import io.signalbox.stats.EngineStats;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The engine as a program embeds it: it launches the threads, takes requests, and hands out their tokens and rows.
 *
 * <pre>{@code
 * try (SignalboxEngine engine = SignalboxEngine.launch(new EngineConfig().scheduler(settings).backend(backend)))
 * {
 *     CompletionHandle request = engine.submit(CompletionRequest.prompt(tokens).maxNewTokens(100));
 *     for (int token : request)
 *     {
 *         send(token);
 *     }
 * }
 * }</pre>
 *
 * <p>Thread-safe, also for callbacks of its requests.
 */
public final class SignalboxEngine implements AutoCloseable
{
    private final EngineClient client;
    private final ThreadedEngine engine;
    private final Object journal;
    private final long drainTimeoutNanos;
    private final long closeTimeoutNanos;

    private SignalboxEngine(final EngineConfig config)
    {
        client = new EngineClient(config);
        drainTimeoutNanos = config.value(EngineConfig.DRAIN_TIMEOUT_NANOS);
        closeTimeoutNanos = config.value(EngineConfig.CLOSE_TIMEOUT_NANOS);
        engine = new ThreadedEngine(config);
        journal = config.runJournal() == null ? config.journal() : config.runJournal();
        try
        {
            client.connect(engine);
        }
        // Out of memory: nobody else has the engine, whose threads run.
        catch (final Throwable e)
        {
            new ClosingSteps().run(engine::close);
            throw e;
        }
    }

    /**
     * Starts an engine with its threads and its backend.
     *
     * @param config complete; used for one engine only.
     * @throws ConfigException if a setting is not allowed, or the backend cannot do what is wanted.
     */
    public static SignalboxEngine launch(final EngineConfig config)
    {
        if (config == null)
        {
            throw new ConfigException("the configuration of the engine is null; give one.");
        }
        return new SignalboxEngine(config);
    }

    /**
     * Submits a request. If the engine has no room, the call waits as {@link EngineConfig#submitWait} says; it never
     * waits in a thread of the engine.
     *
     * @return always a handle; one that is {@linkplain Completion#isRefused refused} if the request was not accepted.
     * @throws IllegalArgumentException if the request is larger than an input may be, or wants what the backend does not do.
     * @throws IllegalStateException    if the engine has failed or is closed; it names the cause.
     */
    public CompletionHandle submit(final CompletionRequest request)
    {
        return client.submit(request);
    }

    /**
     * Submits several samples of one prompt. The first one computes the prompt; the others then run on its rank and share
     * its KV blocks, if prefix caching is on. If the request has a seed, sample {@code i} has {@code seed + i}. Each sample
     * is a request of its own, with a handle, an end and rows; each may be refused, cancelled, or stopped.
     *
     * @param samples 1 or more.
     * @return a handle of each sample, in order; the same handle for all if the engine had no room for the first one.
     */
    public List<CompletionHandle> submit(final CompletionRequest request, final int samples)
    {
        return client.submitSamples(request, samples);
    }

    /**
     * The hashes under which the engine finds the full KV blocks of a sequence of tokens.
     *
     * @param cacheKey of its request; empty for none.
     */
    public long[] blockHashes(final int[] tokens, final byte[] cacheKey)
    {
        return client.blockHashes(tokens, cacheKey);
    }

    /** Tokens of a KV block. */
    public int blockSizeTokens()
    {
        return client.blockSizeTokens();
    }

    /** The time on the engine's clock, in nanoseconds: of {@link CompletionRequest#deadlineAt(long)}. */
    public long timeNanos()
    {
        return client.timeNanos();
    }

    /**
     * Requests that earlier engines of the run left, in the order of their ids: those that have not ended, those whose rows
     * nobody took, and those whose end no client may have seen. Each handle has the tokens that were visible, and gets
     * those that follow. Empty for a new run; see {@link EngineConfig#runJournal}.
     */
    public List<CompletionHandle> resumed()
    {
        return client.resumed();
    }

    /**
     * Accepts no further request, and lets those that it has finish. The journal records it.
     *
     * @return completes when all have ended; fails if the engine stops before.
     * @throws IllegalStateException if the engine has failed or is closed, or a thread of the engine calls.
     */
    public CompletionStage<Void> drain()
    {
        engine.refuseOwnThread("drain");
        return client.drain().minimalCompletionStage();
    }

    /**
     * Forgets every cached prefix: later requests share nothing that was computed before. Waits for room like
     * {@link #submit}.
     *
     * @return false if there was none: nothing was asked.
     */
    public boolean resetCache()
    {
        return client.resetCache();
    }

    /**
     * Replaces the weights of the model: every step that is planned later computes with those that the backend then has.
     * Requests that have not begun wait for them; nothing that former weights computed is shared with later requests. Waits
     * for room like {@link #submit}.
     *
     * @param way     CONTINUE: running requests continue with the new weights, on KV blocks of the former ones. ABORT:
     *                requests that have begun end with the reason NEW_WEIGHTS. REQUEUE: they compute their prompt and the
     *                tokens that their clients have seen again, then continue; rows that belong to such tokens stay. DRAIN:
     *                requests that have begun end with the former weights, then the new ones come.
     * @param version name of the weights for the journal; may be empty.
     * @return completes with the generation of the weights when the first step of that generation is planned, for which a
     *         request has to come, or of a later one. Fails if there was no room, and nothing was asked, or if the engine
     *         stops before. The callback executor of the engine completes it.
     * @throws IllegalArgumentException when the backend cannot replace its weights while it runs; it is named.
     */
    public CompletionStage<Integer> newWeights(final WeightSwap way, final String version)
    {
        return client.newWeights(way, version);
    }

    /**
     * Generation of the newest weights that have come: steps that are planned from now on compute with them. 0: those with
     * which the run began. It rises before the stage of {@link #newWeights} completes; with DRAIN, only after requests that
     * have begun have ended.
     */
    public int weightGeneration()
    {
        return client.weightGeneration();
    }

    /**
     * Brings a rank back: the backend resets it, then its steps in flight are withdrawn and it takes part again. Other ranks
     * are not disturbed. Lost ranks are reset automatically, up to {@link EngineConfig#rankResets} times in a row.
     *
     * @throws IllegalArgumentException if the rank does not exist, or the backend does not declare that it resets ranks.
     * @throws IllegalStateException    if the engine has failed or is closed, or a thread of the engine calls.
     */
    public void resetRank(final int rank)
    {
        engine.resetRank(rank);
    }

    /**
     * Live figures of the run, also after the engine has failed or was closed. Costs the caller some hundred microseconds,
     * and holds no thread of the engine up; ask as often as a monitor does, not for each request.
     */
    public EngineStats stats()
    {
        return engine.stats();
    }

    /**
     * Waits until {@link EngineConfig#listener} has received everything that clients submitted and saw before the call. The
     * wait may include inputs that come before the engine has decided these, but no later ones: it ends also under load.
     *
     * @param atMost if zero or less, the call does not wait.
     * @return false if the listener, or the journal before it, was still behind after this time.
     * @throws IllegalStateException if the engine has failed or is closed, or a thread of the engine calls.
     */
    public boolean awaitDelivered(final Duration atMost)
    {
        return engine.awaitDelivered(atMost.isNegative() ? 0 : Nanos.of(atMost));
    }

    /** The routed experts that ended requests hold until their clients take them. */
    public UntakenRowCount untakenRows()
    {
        return engine.untakenRows();
    }

    /**
     * The routed experts of ended requests that nobody has taken.
     *
     * @param requests          that hold rows.
     * @param bytes             of their pages; a page that requests share counts once for each.
     * @param discardedRequests whose rows were discarded so far: {@link EngineConfig#untakenRows}.
     */
    public record UntakenRowCount(int requests, long bytes, long discardedRequests)
    {
    }

    /** The cause for which the engine stopped by itself; empty while it runs or after an orderly close. */
    public Optional<Throwable> failure()
    {
        return Optional.ofNullable(engine.failure());
    }

    /**
     * Ends the engine in order: accepts no further request, waits up to {@link EngineConfig#drainTimeout} until those
     * that it has are done, then stops as {@link #closeNow} does. A second call does nothing.
     *
     * @throws IllegalStateException if a thread of the engine calls, or a part does not stop in time.
     */
    @Override
    public void close()
    {
        engine.refuseOwnThread("close");
        final ClosingSteps steps = new ClosingSteps().run(this::drainRequests);
        // An interrupt ends the wait for requests, and its flag is set again later.
        final boolean interrupted = Thread.interrupted();
        steps.run(engine::close);
        if (interrupted)
        {
            Thread.currentThread().interrupt();
        }
        steps.rethrow();
    }

    /** Waits until the requests are done. The executor of callbacks, which is foreign code, runs their end. */
    private void drainRequests()
    {
        final OpenHandles handles = client.handles();
        ForeignCall.ofEngine().run(
            "the executor of callbacks did not take the end of the drain", closeTimeoutNanos, handles::drain);
        try
        {
            handles.awaitDrained(drainTimeoutNanos);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Stops within a bounded time: inputs that were accepted are processed and journaled, but no further step is launched,
     * and requests that have not ended fail with "the engine is closed". The backend is closed once the engine is quiet, and
     * the journal last. A second call does nothing.
     *
     * @throws IllegalStateException if a thread of the engine calls, or a part does not stop in time.
     */
    public void closeNow()
    {
        engine.close();
    }

    /** The engine behind the door, for tests. */
    ThreadedEngine engine()
    {
        return engine;
    }

    @Override
    public String toString()
    {
        final EngineStats now = engine.stats();
        final Throwable failure = engine.failure();
        final long lost = now.ranks().stream().filter(EngineStats.Rank::lost).count();
        return "engine " + (failure != null ? "failed" : now.shell().running() ? "running" : "closed") + ": " +
            now.ranks().size() + (now.ranks().size() == 1 ? " rank" : " ranks") + (lost == 0 ? "" : ", " + lost + " lost,") +
            " on the backend " + engine.backendName() + ", " + now.requests().running() + " requests running, " +
            now.requests().waiting() + " waiting, " + journal + (failure == null ? "" : "; " + failure);
    }
}
