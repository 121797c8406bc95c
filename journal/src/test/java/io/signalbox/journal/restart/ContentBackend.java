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
 * Computes {@link ContentModel}, several steps of a rank in flight and with draft tokens if it is told to; on a thread, or
 * when {@link #turn} is called. Its memory is bounded if it has a thread.
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
    private int draftTokens;
    /** By rank and step, where the entries start that continue those of the step. */
    private final Map<Integer, Map<Long, int[]>> nextStarts = new HashMap<>();

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
    private record Entry(long requestId, int start, int slack, int back, int source, int count, int drafts, int end,
        boolean samples, int[] known, int mayStopAt, int[] stopTokens)
    {
        private static Entry of(final StepView plan, final int entry)
        {
            final RequestContent content = plan.request(entry);
            final int[] known = new int[content.knownTokens()];
            Arrays.setAll(known, content::token);
            final int[] stopTokens = new int[content.stopTokenCount()];
            Arrays.setAll(stopTokens, content::stopToken);
            return new Entry(plan.requestId(entry), plan.start(entry), plan.slack(entry), plan.predecessorBack(entry),
                plan.predecessorBack(entry) == 0 ? -1 : plan.predecessorEntry(entry), plan.tokenCount(entry),
                plan.drafts(entry), plan.end(entry), plan.samples(entry), known,
                content.promptTokens() + content.minNewTokens(), stopTokens);
        }

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

    /** Verifies so many draft tokens per entry; its draft model errs at every third position. */
    ContentBackend drafting(final int tokens)
    {
        draftTokens = tokens;
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
            .swapsWeights(true).masksStopTokens(true).resetsRanks(stepNanos > 0).depth(depth)
            .draftTokens(draftTokens).build();
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
            entries.add(Entry.of(plan, entry));
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
        final Map<Long, int[]> former = nextStarts.computeIfAbsent(step.rank, rank -> new HashMap<>());
        final int[] next = new int[step.entries.size()];
        int row = 0;
        for (int i = 0; i < next.length; i++)
        {
            final Entry entry = step.entries.get(i);
            final int[] starts = entry.slack == 0 ? null : former.get(step.step - entry.back);
            if (entry.slack > 0 && starts == null)
            {
                // The step that it continues failed, so this step is withdrawn too.
                return;
            }
            next[i] = compute(entry, entry.slack == 0 ? entry.start : starts[entry.source], results, rows, row);
            row += entry.count;
        }
        former.put(step.step, next);
        former.remove(step.step - depth);
        sink.d2hComplete(CompletionSink.NOW, step.epoch, step.rank, step.step, results,
            new OverwrittenRows(rows, row, SHAPE.rowBytes()));
    }

    /** Returns where an entry starts that continues this one. Rejected drafts have the rows of their wrong tokens. */
    private int compute(
        final Entry entry, final int start, final StepTokens results, final UnsafeBuffer rows, final int firstRow)
    {
        final Map<Integer, Integer> device = sampled.computeIfAbsent(entry.requestId, id -> new HashMap<>());
        final int sampling = entry.samples ? entry.count - entry.drafts - 1 : entry.count;
        results.entry(start);
        long context = 0;
        int fed = 0;
        int accepted = 0;
        boolean isRight = entry.samples;
        for (int position = 0; position < start + entry.count; position++)
        {
            final int i = position - start;
            fed = i > sampling ? fed : position < entry.known.length ? entry.known[position] :
                device.getOrDefault(position, 0);
            context = ContentModel.context(context, fed);
            if (i >= 0)
            {
                putRow(rows, firstRow + i, context);
            }
            if (i >= sampling)
            {
                fed = draft(position + 1, ContentModel.next(context));
                if (isRight && position < entry.end)
                {
                    final int token = entry.sampled(position + 1, ContentModel.next(context));
                    device.put(position + 1, token);
                    results.accept(token);
                    accepted++;
                    isRight = fed == token;
                }
            }
        }
        return start + sampling + accepted;
    }

    private static int draft(final int position, final int token)
    {
        return position % 3 == 0 ? (token + 1) % ContentModel.VOCABULARY : token;
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
