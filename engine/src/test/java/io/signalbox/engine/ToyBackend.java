// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.StateDigest;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.RankSizes;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Runs {@link ToyModel} with real KV content per block and position, so that a wrong token, table, position or predecessor
 * changes what is sampled. Reads everything that a plan offers. A rank works when {@link #turn} is called, or on its thread.
 */
final class ToyBackend implements Backend
{
    /** One step that was launched: its results are on the device. */
    private record Launched(ToyStep step, StepTokens results)
    {
    }

    private final Map<Integer, Rank> ranks = new HashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private final int depth;
    private final boolean threaded;
    private final int stepsPerFault;
    private final ToyPlant plant;
    private RankSizes sizes;
    private CompletionSink sink;
    private int stepsPerLoss;
    private boolean refusesResets;
    private volatile boolean continuesOnDevice;
    private volatile boolean closed;

    /** @param stepsPerFault about one step in so many fails; 0: none. */
    ToyBackend(final int depth, final boolean threaded, final int stepsPerFault, final ToyPlant plant)
    {
        this.depth = depth;
        this.threaded = threaded;
        this.stepsPerFault = stepsPerFault;
        this.plant = plant;
    }

    /** About one step in so many costs its rank, which a reset brings back. */
    ToyBackend losingRanks(final int steps)
    {
        stepsPerLoss = steps;
        return this;
    }

    /** Whether every reset throws. */
    ToyBackend refusingResets(final boolean value)
    {
        refusesResets = value;
        return this;
    }

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("toy").resetsRanks(stepsPerLoss > 0).readsTokens(true).reportsLogprobs(true)
            .depth(depth).draftTokens(3).build();
    }

    @Override
    public void sizes(final RankSizes rankSizes)
    {
        sizes = rankSizes;
    }

    @Override
    public void start(final int rankCount, final ModelShape shape, final CompletionSink completions)
    {
        sink = completions;
        for (int rank = 0; rank < rankCount; rank++)
        {
            final Rank started = new Rank(rank);
            ranks.put(rank, started);
            if (threaded)
            {
                final Thread thread = new Thread(started::run, "toy-rank-" + rank);
                thread.setDaemon(true);
                threads.add(thread);
                thread.start();
            }
        }
    }

    @Override
    public void submit(final StepView plan)
    {
        ranks.get(plan.rank()).add(new ToyStep(plan, plant));
    }

    @Override
    public void abort(final int rank, final long step)
    {
        ranks.get(rank).abort(step);
    }

    @Override
    public boolean reset(final int rank)
    {
        if (stepsPerLoss == 0)
        {
            return Backend.super.reset(rank);
        }
        if (refusesResets)
        {
            throw new IllegalStateException("planted");
        }
        ranks.get(rank).reset();
        return false;
    }

    /** Whether some entry fed a token that the host did not know when the step was planned. */
    boolean continuesOnDevice()
    {
        return continuesOnDevice;
    }

    /** Launches or reports a step of some rank; returns whether there was one. */
    boolean turn()
    {
        boolean worked = false;
        for (final Rank rank : ranks.values())
        {
            worked |= rank.turn();
        }
        return worked;
    }

    @Override
    public void close()
    {
        closed = true;
        for (final Thread thread : threads)
        {
            try
            {
                thread.interrupt();
                thread.join();
            }
            catch (final InterruptedException e)
            {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** One rank: its plans, its steps on the device, its KV memory. */
    private final class Rank
    {
        private final ArrayDeque<ToyStep> plans = new ArrayDeque<>();
        private final ArrayDeque<Launched> launched = new ArrayDeque<>();
        private final Map<Long, ToyStep> former = new HashMap<>();
        private final long[][] kv = new long[sizes.kvBlocks()][sizes.blockSizeTokens()];
        private final SplittableRandom random;
        private boolean lost;

        private Rank(final int rank)
        {
            random = new SplittableRandom(rank);
        }

        private synchronized void add(final ToyStep step)
        {
            plans.add(step);
            notifyAll();
        }

        private synchronized void abort(final long step)
        {
            plans.removeIf(plan -> plan.step == step);
        }

        /** The memory of the rank is gone. */
        private synchronized void reset()
        {
            plans.clear();
            launched.clear();
            former.clear();
            for (final long[] block : kv)
            {
                Arrays.fill(block, ToyModel.POISON);
            }
            lost = false;
            notifyAll();
        }

        private void run()
        {
            try
            {
                while (!closed)
                {
                    if (!turn())
                    {
                        synchronized (this)
                        {
                            while (plans.isEmpty() && !closed)
                            {
                                wait();
                            }
                        }
                    }
                }
            }
            catch (final InterruptedException | IllegalStateException e)
            {
                // Closing.
            }
        }

        private boolean turn()
        {
            final ToyStep next;
            ToyStep unanswered = null;
            synchronized (this)
            {
                if (lost)
                {
                    unanswered = !launched.isEmpty() ? launched.remove().step : plans.poll();
                }
                final boolean launches = !lost && !plans.isEmpty() && launched.size() < depth &&
                    (launched.isEmpty() || random.nextInt(3) > 0);
                next = launches ? plans.remove() : null;
                if (lost && unanswered == null)
                {
                    return false;
                }
            }
            if (unanswered != null)
            {
                // Every step of a lost rank is answered, also one that came after a report that the engine ignored.
                lose(unanswered);
                return true;
            }
            if (next != null)
            {
                launched.add(new Launched(next, compute(next)));
                sink.forward(CompletionSink.NOW, next.epoch, next.rank, next.step, 0);
                return true;
            }
            final Launched done = launched.poll();
            if (done != null)
            {
                report(done);
            }
            return done != null;
        }

        private void report(final Launched done)
        {
            final ToyStep step = done.step;
            if (stepsPerLoss > 0 && random.nextInt(stepsPerLoss) == 0)
            {
                synchronized (this)
                {
                    lost = true;
                }
                lose(step);
                return;
            }
            if (stepsPerFault > 0 && random.nextInt(stepsPerFault) == 0)
            {
                sink.fault(CompletionSink.NOW, step.epoch, step.rank, step.step, StepFault.STEP_FAILED, "planted");
                return;
            }
            sink.d2hComplete(CompletionSink.NOW, step.epoch, step.rank, step.step, done.results, null);
        }

        private void lose(final ToyStep step)
        {
            sink.fault(CompletionSink.NOW, step.epoch, step.rank, step.step, StepFault.RANK_LOST, "planted");
        }

        private StepTokens compute(final ToyStep step)
        {
            former.put(step.step, step);
            former.keySet().removeIf(number -> number < step.step - depth);
            for (final int block : step.handedOut)
            {
                Arrays.fill(kv[block], ToyModel.POISON);
            }
            final StepTokens results = new StepTokens().begin(step.epoch, step.rank, step.step);
            for (int entry = 0; entry < step.entries.size(); entry++)
            {
                compute(step, entry, step.entries.get(entry), results);
            }
            return results;
        }

        private void compute(final ToyStep step, final int index, final ToyStep.Entry entry, final StepTokens results)
        {
            final ToyStep before = entry.back() == 0 ? null : former.get(step.step - entry.back());
            final int start = before == null || plant == ToyPlant.START_OF_THE_PLAN ? entry.start() :
                before.nextStarts[entry.backEntry()];
            final int[] fed = Arrays.copyOf(entry.hostTokens(), entry.count());
            if (before != null)
            {
                continuesOnDevice = true;
                fed[0] = before.lastTokens[entry.backEntry()];
            }
            step.nextStarts[index] = start;
            step.lastTokens[index] = fed[0];
            results.entry(start);
            int right = entry.count() - entry.drafts();
            final int most = plant == ToyPlant.NO_END ? entry.count() : Math.min(entry.count(), entry.end() - start);
            for (int i = 0; i < most; i++)
            {
                write(entry, start + i, fed[i]);
                if (i + 1 < right || i + 1 > right)
                {
                    // Within a chunk, or behind a draft that was wrong.
                    continue;
                }
                step.nextStarts[index] = start + i + 1;
                if (!entry.samples())
                {
                    continue;
                }
                final ToyModel.Next next = ToyModel.next(context(entry, start + i), start + i + 1, entry.sampling());
                final ToyModel.Next shown = plant != ToyPlant.LOGPROB_OF_THE_NEXT ? next :
                    ToyModel.next(context(entry, start + i), start + i, entry.sampling());
                results.accept(
                    next.token(), entry.sampling().logprobs() ? shown.logprob() : StepTokens.NO_LOGPROB);
                step.lastTokens[index] = next.token();
                if (i + 1 < entry.count())
                {
                    final boolean good = (StateDigest.mix(next.token(), start + i) & 3) != 0;
                    fed[i + 1] = good ? next.token() : (next.token() + 1) % ToyModel.VOCABULARY;
                    right += good ? 1 : 0;
                }
            }
        }

        private void write(final ToyStep.Entry entry, final int position, final int token)
        {
            final int block = entry.table()[position / sizes.blockSizeTokens()];
            kv[block][position % sizes.blockSizeTokens()] = ToyModel.cell(entry.cacheKey(), position, token);
        }

        private long context(final ToyStep.Entry entry, final int last)
        {
            long context = 0;
            for (int position = 0; position <= last; position++)
            {
                final int block = entry.table()[position / sizes.blockSizeTokens()];
                context = ToyModel.attend(context, kv[block][position % sizes.blockSizeTokens()]);
            }
            return context;
        }
    }
}
