// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.RequestContent;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import io.signalbox.journal.OverwrittenRows;
import io.signalbox.testkit.ContextModel;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

import static io.signalbox.journal.restart.ContentModel.SHAPE;

/**
 * Computes {@link ContentModel}, up to two steps of a rank in flight; on a thread, or when {@link #turn} is called. Its
 * memory is bounded if it has a thread.
 */
final class ContentBackend implements Backend
{
    private static final int LATEST_REQUESTS = 10_000;
    /** One of so many steps fails, and one of so many loses its rank, if this backend is a faulty one. */
    private static final int FAILS_EVERY = 499;
    private static final int LOST_EVERY = 7 * FAILS_EVERY;

    private final int depth;
    private final boolean threaded;
    private final LinkedBlockingQueue<Step> arrived = new LinkedBlockingQueue<>();
    /** Sampled tokens by request and position, as a device has them before the host does; those of the latest requests. */
    private final Map<Long, Map<Integer, Integer>> sampled = new LinkedHashMap<>()
    {
        @Override
        protected boolean removeEldestEntry(final Map.Entry<Long, Map<Integer, Integer>> eldest)
        {
            return size() > LATEST_REQUESTS;
        }
    };
    private final List<Step> answered = new ArrayList<>();
    private Thread thread;
    private volatile CompletionSink sink;
    private volatile boolean closed;
    private int weightGeneration;
    private boolean refusesStart;
    private String missingWeights;
    private long stepNanos;
    private long executed;
    /** A step that feeds it fails; -1: none does. */
    private int poison = -1;

    /** One step plan, copied while it was valid. */
    private record Step(int epoch, int rank, long step, List<Entry> entries)
    {
        private int tokens()
        {
            return entries.stream().mapToInt(Entry::count).sum();
        }

        private boolean feeds(final int token)
        {
            return entries.stream().anyMatch(entry -> Arrays.stream(entry.known).anyMatch(known -> known == token));
        }
    }

    /** @param known tokens that the host knows, from position 0. */
    private record Entry(long requestId, int start, int count, boolean samples, int[] known, int mayStopAt, int[] stopTokens)
    {
        /** The token of the model, or the next one that is not left out. */
        private int sampled(final int position, final int token)
        {
            int next = token;
            while (position < mayStopAt && Arrays.binarySearch(stopTokens, next) >= 0)
            {
                next = (next + 1) % ContentModel.VOCABULARY;
            }
            return next;
        }
    }

    ContentBackend(final int depth, final boolean threaded)
    {
        this.depth = depth;
        this.threaded = threaded;
    }

    /** Throws when it is started. */
    ContentBackend refusingToStart()
    {
        refusesStart = true;
        return this;
    }

    /** Takes a while for each step, fails some of them, and loses ranks, which it can reset. */
    ContentBackend faulty(final long nanosPerStep)
    {
        stepNanos = nanosPerStep;
        return this;
    }

    /** Fails each step that computes a request with this token. */
    ContentBackend failing(final int token)
    {
        poison = token;
        return this;
    }

    /** The generation that was announced last. */
    int weightGeneration()
    {
        return weightGeneration;
    }

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("content").capturesExperts(true).capturesCombineWeights(true).readsTokens(true)
            .swapsWeights(true).masksStopTokens(true).resetsRanks(stepNanos > 0).depth(depth).build();
    }

    /** Steps of the rank were aborted; the one that is being executed is of no importance to a device without memory. */
    @Override
    public boolean reset(final int rank)
    {
        return false;
    }

    @Override
    public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
    {
        if (refusesStart)
        {
            throw new IllegalStateException("planted");
        }
        sink = completions;
        if (threaded)
        {
            thread = new Thread(this::run, "content-backend");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Has all weights but these. */
    ContentBackend without(final String version)
    {
        missingWeights = version;
        return this;
    }

    @Override
    public void expectWeights(final String version)
    {
        if (version.equals(missingWeights))
        {
            throw new IllegalArgumentException("the backend content does not have the weights '" + version + "'");
        }
    }

    @Override
    public void newWeights(final int generation, final String version)
    {
        weightGeneration = generation;
    }

    @Override
    public void submit(final StepView plan)
    {
        final List<Entry> entries = new ArrayList<>();
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            final RequestContent content = plan.request(entry);
            final int[] known = new int[content.knownTokens()];
            for (int i = 0; i < known.length; i++)
            {
                known[i] = content.token(i);
            }
            final int[] stopTokens = new int[content.stopTokenCount()];
            Arrays.setAll(stopTokens, content::stopToken);
            entries.add(new Entry(plan.requestId(entry), plan.start(entry), plan.tokenCount(entry), plan.samples(entry),
                known, content.promptTokens() + content.minNewTokens(), stopTokens));
        }
        arrived.add(new Step(plan.epoch(), plan.rank(), plan.step(), entries));
    }

    @Override
    public void abort(final int rank, final long step)
    {
        arrived.removeIf(plan -> plan.rank == rank && plan.step == step);
    }

    private void run()
    {
        try
        {
            while (!closed)
            {
                execute(arrived.take());
            }
        }
        catch (final InterruptedException | IllegalStateException e)
        {
            // Closing.
        }
    }

    /** Executes the oldest step; returns whether there was one. */
    boolean turn()
    {
        final Step step = arrived.poll();
        if (step != null)
        {
            execute(step);
        }
        return step != null;
    }

    private void execute(final Step step)
    {
        LockSupport.parkNanos(stepNanos);
        executed++;
        sink.forward(CompletionSink.NOW, step.epoch, step.rank, step.step, 0);
        if (stepNanos > 0 && executed % FAILS_EVERY == 0)
        {
            sink.fault(CompletionSink.NOW, step.epoch, step.rank, step.step,
                executed % LOST_EVERY == 0 ? StepFault.RANK_LOST : StepFault.STEP_FAILED, "planted");
            return;
        }
        if (poison >= 0 && step.feeds(poison))
        {
            sink.fault(
                CompletionSink.NOW, step.epoch, step.rank, step.step, StepFault.STEP_FAILED, "planted: token " + poison);
            return;
        }
        report(step);
        if (!threaded)
        {
            answered.add(step);
        }
    }

    private void report(final Step step)
    {
        final StepTokens results = new StepTokens().begin(step.epoch, step.rank, step.step);
        final UnsafeBuffer rows = new UnsafeBuffer(new byte[step.tokens() * SHAPE.rowBytes()]);
        int row = 0;
        for (final Entry entry : step.entries)
        {
            results.entry(entry.start);
            final Map<Integer, Integer> device = sampled.computeIfAbsent(entry.requestId, id -> new HashMap<>());
            long context = 0;
            for (int position = 0; position < entry.start + entry.count; position++)
            {
                context = ContentModel.context(
                    context, position < entry.known.length ? entry.known[position] : device.getOrDefault(position, 0));
                if (position >= entry.start)
                {
                    putRow(rows, row++, context);
                }
            }
            if (entry.samples)
            {
                final int end = entry.start + entry.count;
                final int token = entry.sampled(end, ContentModel.next(context));
                device.put(end, token);
                results.accept(token);
            }
        }
        sink.d2hComplete(CompletionSink.NOW, step.epoch, step.rank, step.step, results,
            new OverwrittenRows(rows, row, SHAPE.rowBytes()));
    }

    private static void putRow(final UnsafeBuffer rows, final int row, final long context)
    {
        for (int i = 0; i < SHAPE.rowIds(); i++)
        {
            rows.putByte(row * SHAPE.rowBytes() + i,
                (byte)ContentModel.expert(context, i / SHAPE.topK(), i % SHAPE.topK()));
            rows.putFloat(row * SHAPE.rowBytes() + SHAPE.idsBytes() + i * Float.BYTES,
                ContextModel.combineWeight(context, i), ByteOrder.LITTLE_ENDIAN);
        }
    }

    /** Reports all that this backend has computed to the engine of another one, as a device that outlives its host. */
    void reportAllTo(final ContentBackend later)
    {
        final CompletionSink own = sink;
        sink = later.sink;
        answered.forEach(this::report);
        arrived.forEach(this::report);
        sink = own;
    }

    @Override
    public void close()
    {
        closed = true;
        if (thread != null)
        {
            thread.interrupt();
        }
    }
}
