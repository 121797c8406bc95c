// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.RankSizes;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.config.Setting;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The simulated ranks in real time, for clients: a step takes as long as its cost. Answers are words
 * of {@link SimulatedVocabulary}, decided by content, so the same greedy request has the same answer on every rank, in every
 * batch and after every restart. One thread reports all ranks, without the lock that guards their state: a step is accepted
 * also while the engine takes a report.
 */
public final class PacedBackend implements Backend
{
    public static final Setting<Double> TIME_SCALE = Setting.real("timeScale", "", 1.0, 0.001, 1000.0,
        "How many times as fast as their costs the simulated ranks serve.").remedy("give 1 for the speed of the costs")
        .option("--time-scale", "FACTOR", "Serve FACTOR times as fast as the costs of the simulated ranks");
    public static final Setting<Integer> MEAN_ANSWER_TOKENS = Setting.integer("meanAnswerTokens", "tokens", 256, 0, 1 << 24,
        "Mean length of an answer that ends by itself; 0: no answer does.").remedy("give a number of tokens")
        .option("--mean-answer-tokens", "N",
            "End answers by themselves after N tokens on average; 0: only limits end them");

    public static final List<Setting<?>> SETTINGS = List.of(TIME_SCALE, MEAN_ANSWER_TOKENS);

    private static final String PREFIX = "serve.";
    /** In lock-step the plans of all ranks follow each other at once. */
    private static final long PLANS_NANOS = 50_000;

    private final SimulationConfig config;
    private final SchedulerConfig scheduler;
    private final double timeScale;
    private final int meanAnswerTokens;
    private final long originNanos = System.nanoTime();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Thread thread = new Thread(this::report, "signalbox-simulated-ranks");
    /** The fields below are guarded by the lock. */
    private RankSizes sizes;
    private SimulatedBackend ranks;
    private ServedAnswers answers;
    private volatile boolean closed;
    /** Reports that the thread makes when it has given the lock back; used by that thread alone. */
    private final Deque<Runnable> reports = new ArrayDeque<>();

    /** @param config without faults, new weights and accepted drafts, which are those of a run in virtual time. */
    public PacedBackend(
        final SimulationConfig config, final SchedulerConfig scheduler, final double timeScale, final int meanAnswerTokens)
    {
        if (config.faults() != null || config.newWeights() != null || config.acceptanceSeries() != null)
        {
            throw new ConfigException("a fault plan, a plan of new weights and a series of accepted drafts belong to a " +
                "run in virtual time; leave them out.");
        }
        TIME_SCALE.check(timeScale);
        MEAN_ANSWER_TOKENS.check(meanAnswerTokens);
        this.config = config;
        this.scheduler = scheduler;
        this.timeScale = timeScale;
        this.meanAnswerTokens = meanAnswerTokens;
        thread.setDaemon(true);
    }

    /** What the answers and their times depend on, for a run description. */
    public Map<String, String> settings()
    {
        final Map<String, String> settings = new TreeMap<>(config.settings());
        settings.put(PREFIX + TIME_SCALE.name(), TIME_SCALE.print(timeScale));
        settings.put(PREFIX + MEAN_ANSWER_TOKENS.name(), MEAN_ANSWER_TOKENS.print(meanAnswerTokens));
        return settings;
    }

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("simulated").capturesExperts(true).capturesCombineWeights(true)
            .readsTokens(true).reportsLogprobs(true).depth(SchedulerConfig.MAX_DEPTH)
            .draftTokens(SchedulerConfig.MAX_DRAFT_TOKENS).writesKvFirst(true).swapsWeights(true).resetsRanks(true)
            .masksStopTokens(true).endTokens(SimulatedVocabulary.END).build();
    }

    @Override
    public void sizes(final RankSizes value)
    {
        sizes = value;
    }

    @Override
    public void start(final int rankCount, final ModelShape shape, final CompletionSink completions)
    {
        // Requests of all steps in flight, and as many that wait for their next step.
        final long most = 2L * rankCount * sizes.maxRunning() * sizes.depth();
        lock.lock();
        try
        {
            answers = new ServedAnswers(config.seed(), meanAnswerTokens, (int)Math.min(most, Integer.MAX_VALUE));
            ranks = new SimulatedBackend(config, scheduler.toBuilder().depth(sizes.depth()).build(), answers,
                DraftAcceptance.seeded(config.seed(), config.draftAcceptance()), answers, timeScale);
            ranks.start(rankCount, shape, new DueReports(completions));
        }
        finally
        {
            lock.unlock();
        }
        thread.start();
    }

    @Override
    public void submit(final StepView step)
    {
        locked(() ->
        {
            for (int entry = 0; entry < step.entryCount(); entry++)
            {
                answers.read(step.request(entry));
            }
            ranks.submit(step);
        });
    }

    @Override
    public void abort(final int rank, final long step)
    {
        locked(() -> ranks.abort(rank, step));
    }

    /** Every version is possible: tokens and rows depend on the generation alone. */
    @Override
    public void newWeights(final int generation, final String version)
    {
        locked(() -> ranks.newWeights(generation, version));
    }

    /** Simulated KV blocks keep their content. */
    @Override
    public boolean reset(final int rank)
    {
        locked(() -> ranks.restart(rank));
        return true;
    }

    private long nanos()
    {
        return System.nanoTime() - originNanos;
    }

    private void locked(final Runnable change)
    {
        lock.lock();
        try
        {
            ranks.now(nanos());
            change.run();
            changed.signal();
        }
        finally
        {
            lock.unlock();
        }
    }

    private void report()
    {
        try
        {
            while (takeDue())
            {
                for (Runnable report = reports.poll(); report != null && !closed; report = reports.poll())
                {
                    report.run();
                }
            }
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
        catch (final IllegalStateException e)
        {
            // The engine has failed or is closed, and takes no report any more.
            return;
        }
    }

    /** Waits until an event is due or something changes; false if the backend is closed. */
    private boolean takeDue() throws InterruptedException
    {
        lock.lock();
        try
        {
            awaitDue();
        }
        // Steps whose end nobody reports would keep their requests for ever.
        catch (final RuntimeException | Error e)
        {
            ranks.loseAll("the simulated ranks failed: " + e);
        }
        finally
        {
            lock.unlock();
        }
        return !closed;
    }

    private void awaitDue() throws InterruptedException
    {
        final long nextNanos = ranks.nextNanos();
        final long nowNanos = nanos();
        if (closed)
        {
            return;
        }
        if (nextNanos == EventQueue.NEVER)
        {
            changed.await();
        }
        else if (ranks.awaitsPlans() || nextNanos > nowNanos)
        {
            changed.awaitNanos(ranks.awaitsPlans() ? PLANS_NANOS : nextNanos - nowNanos);
        }
        else
        {
            ranks.now(nowNanos);
            ranks.fireNext();
        }
    }

    /** Keeps reports for the thread that makes them. A step is not used again before it was reported. */
    private final class DueReports implements CompletionSink
    {
        private final CompletionSink target;

        private DueReports(final CompletionSink target)
        {
            this.target = target;
        }

        @Override
        public void forward(
            final long timeNanos, final int epoch, final int rank, final long step, final long deviceTimeNanos)
        {
            reports.add(() -> target.forward(CompletionSink.NOW, epoch, rank, step, deviceTimeNanos));
        }

        @Override
        public void d2hComplete(
            final long timeNanos, final int epoch, final int rank, final long step, final StepTokens tokens,
            final CaptureSlice rows)
        {
            reports.add(() -> target.d2hComplete(CompletionSink.NOW, epoch, rank, step, tokens, rows));
        }

        @Override
        public void fault(
            final long timeNanos, final int epoch, final int rank, final long step, final StepFault faultClass,
            final String detail)
        {
            reports.add(() -> target.fault(CompletionSink.NOW, epoch, rank, step, faultClass, detail));
        }
    }

    @Override
    public void close()
    {
        lock.lock();
        try
        {
            closed = true;
            changed.signal();
        }
        finally
        {
            lock.unlock();
        }
        try
        {
            thread.join(TimeUnit.SECONDS.toMillis(1));
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }
}
