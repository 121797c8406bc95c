// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.backend.StepFault;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.GroupListener;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.engine.WeightSwap;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.WeightsWay;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.RunFold;
import org.opentest4j.AssertionFailedError;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A deterministic engine for tests and experiments: a test submits requests, completes steps one by one, lets them fail, and
 * asserts what happened. There is no thread and no real time; the same calls give the same decisions.
 *
 * <pre>{@code
 * try (EngineHarness engine = EngineHarness.of(SchedulerConfig.builder().ranks(2).router(mine).build()))
 * {
 *     engine.request(1).prompt(40).generate(3).submit();
 *     engine.run();
 *     engine.request(1).assertGenerated(3).assertRows(42, 0);
 * }
 * }</pre>
 *
 * <p>Its model is {@link ContextModel}: every assertion of tokens and rows compares with what that model says of the
 * request alone. Not thread-safe.
 */
public final class EngineHarness implements AutoCloseable
{
    private static final int MOST_TURNS = 1_000_000;
    private static final int MOST_RESETS = 1_000_000;

    private final HeldBackend backend = new HeldBackend();
    private final HarnessEvents events = new HarnessEvents();
    private final RunFold fold = RunFold.of(events);
    private final Map<Integer, HarnessRequest> requests = new TreeMap<>();
    private final InputWriter inputs = new InputWriter();
    private final SchedulerConfig config;
    private final SteppedEngine engine;
    private long nowNanos = 1;

    private EngineHarness(final SchedulerConfig config, final GroupListener follower)
    {
        EngineFlags.require();
        this.config = config;
        engine = new SteppedEngine(new EngineConfig().scheduler(config).backend(backend)
            .vocabularySize(ContextModel.VOCABULARY).impossibleRows(EngineConfig.ImpossibleRows.FAIL_STEP)
            .rankResets(MOST_RESETS).clock(() -> ++nowNanos)
            .listener((group, offset, length) ->
            {
                fold.onGroup(group, offset, length);
                follower.onGroup(group, offset, length);
            }));
    }

    /**
     * Starts an engine.
     *
     * @param config its ranks, pools, router and depth; with {@link SchedulerConfig.Builder#capture} it keeps rows.
     * @throws io.signalbox.ConfigException if draft tokens are wanted, which the model has not.
     */
    public static EngineHarness of(final SchedulerConfig config)
    {
        return of(config, (group, offset, length) -> { });
    }

    /**
     * The same.
     *
     * @param follower receives each group.
     */
    public static EngineHarness of(final SchedulerConfig config, final GroupListener follower)
    {
        return new EngineHarness(config, follower);
    }

    /** The request with this number: a new one that is not submitted, or the one that this number was given to before. */
    public HarnessRequest request(final int number)
    {
        return requests.computeIfAbsent(number, name -> new HarnessRequest(this, name, config.capture() != null));
    }

    SteppedEngine engine()
    {
        return engine;
    }

    HarnessEvents decisions()
    {
        return events;
    }

    ContextModel model()
    {
        return backend.model();
    }

    /** Steps of a rank that were planned and have neither completed nor failed. */
    public int stepsInFlight(final int rank)
    {
        return backend.stepsInFlight(rank);
    }

    /** Reports the launch of the oldest step of the rank that was not launched; at depth 2 and more the next one follows. */
    public EngineHarness launch(final int rank)
    {
        require(backend.launch(rank), rank, "to launch");
        return this;
    }

    /** The same if there is such a step. */
    void tryLaunch(final int rank)
    {
        backend.launch(rank);
    }

    /** Completes the oldest step of the rank in flight. */
    public EngineHarness complete(final int rank)
    {
        require(backend.complete(rank), rank, "to complete");
        return this;
    }

    /** Lets the oldest step of the rank in flight fail; its requests start over. */
    public EngineHarness fail(final int rank)
    {
        require(backend.fail(rank, StepFault.STEP_FAILED), rank, "to fail");
        return this;
    }

    /** Lets the oldest step of the rank in flight end in the loss of the rank, which the engine then resets. */
    public EngineHarness lose(final int rank)
    {
        require(backend.fail(rank, StepFault.RANK_LOST), rank, "to lose the rank with");
        return this;
    }

    /** Resets a rank: its steps in flight are withdrawn, and its KV memory is empty. */
    public EngineHarness reset(final int rank)
    {
        engine.resetRank(rank);
        tick(++nowNanos);
        return this;
    }

    private void require(final boolean done, final int rank, final String what)
    {
        if (!done)
        {
            throw new AssertionFailedError("rank " + rank + " has no step " + what + "; the last decisions: " + tail());
        }
    }

    /** Lets time pass: deadlines and the rest of ranks whose steps failed end in it. */
    public EngineHarness advance(final Duration time)
    {
        tick(nowNanos + time.toNanos());
        return this;
    }

    private void tick(final long atNanos)
    {
        nowNanos = Math.max(nowNanos, atNanos);
        inputs.tick().timeNanos(nowNanos);
        engine.offer(inputs.buffer(), 0, inputs.length(), null);
    }

    /** Forgets every cached prefix. */
    public EngineHarness resetCache()
    {
        inputs.control().timeNanos(++nowNanos).requestId(-1).kind(ControlKind.CACHE_RESET).note("");
        engine.offer(inputs.buffer(), 0, inputs.length(), null);
        return this;
    }

    /** Replaces the weights; those of the harness compute the same, so that only the order of things changes. */
    public EngineHarness newWeights(final WeightSwap way)
    {
        inputs.control().timeNanos(++nowNanos).requestId(-1).kind(ControlKind.NEW_WEIGHTS)
            .way(WeightsWay.valueOf(way.name())).note("");
        engine.offer(inputs.buffer(), 0, inputs.length(), null);
        return this;
    }

    /** Completes steps, the lowest rank first, until no request is left that a step or a timer could bring further. */
    public EngineHarness run()
    {
        for (int turn = 0; turn < MOST_TURNS; turn++)
        {
            if (!completeLowest() && !awaitTimer())
            {
                return this;
            }
        }
        throw new AssertionFailedError(
            "requests have not ended after " + MOST_TURNS + " steps; the last decisions: " + tail());
    }

    private boolean completeLowest()
    {
        for (int rank = 0; rank < config.ranks(); rank++)
        {
            if (backend.complete(rank))
            {
                return true;
            }
        }
        return false;
    }

    private boolean awaitTimer()
    {
        final long due = engine.nextTickNanos();
        if (due == Long.MAX_VALUE || requests.values().stream().noneMatch(HarnessRequest::isOpen))
        {
            return false;
        }
        tick(due);
        return true;
    }

    /** Performs a play of {@link HarnessArbitraries}: submits its requests among its acts, and then runs to the end. */
    public EngineHarness play(final HarnessPlay play)
    {
        play.perform(this, config.ranks());
        return run();
    }

    /** Every decision so far, in order, one line each: {@code placed 1 on rank 0}, {@code ended 1: LENGTH}. */
    public List<String> events()
    {
        return events.lines();
    }

    private List<String> tail()
    {
        final List<String> lines = events.lines();
        return lines.subList(Math.max(0, lines.size() - 5), lines.size());
    }

    /** Every submitted request has ended, with the tokens and rows that the model says of it. */
    public EngineHarness assertAllAsTheModelSays()
    {
        requests.values().forEach(HarnessRequest::assertAsTheModelSays);
        return this;
    }

    @Override
    public void close()
    {
        engine.close();
    }
}
