// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.backend.StepTokens;
import io.signalbox.event.StepView;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * One device rank that really keeps KV content: every launched entry reads all positions below its start and demands that
 * they hold what its request put there, then writes its own. It binds starts late and accepts drafts by content.
 */
final class ModelDevice
{
    /** An entry as it was planned, with the blocks of its request at that time. */
    record Entry(
        long requestId, int start, int slack, int count, int end, int back, int predecessor, boolean samples, int[] table,
        List<Integer> weights)
    {
    }

    /** A step that was given to the device. */
    record Step(int epoch, long number, int tokens, int weights, List<Entry> entries)
    {
    }

    /** The results of a launched step. */
    record Result(Step step, StepTokens tokens, List<long[]> rows)
    {
    }

    private interface Memory
    {
        void access(Step step, Entry entry, int start);
    }

    private static final long POISON = -1;
    private static final int MOST_PAST = 8;

    private final ModelContent content;
    private final int blockSize;
    private final long[][] kv;
    private final Map<Long, List<Integer>> tables = new HashMap<>();
    /** Per request the weights that computed the KV of each position. */
    private final Map<Long, List<Integer>> computedBy = new HashMap<>();
    private int weights;
    private final Deque<Step> queued = new ArrayDeque<>();
    private final Deque<Result> launched = new ArrayDeque<>();
    private final Deque<Result> past = new ArrayDeque<>();
    /** Per step, per entry, the position behind what it accepted. */
    private final TreeMap<Long, int[]> nextStarts = new TreeMap<>();
    private final int depth;
    private final boolean writesKvFirst;

    /** @param writesKvFirst whether it writes the KV of all entries of a step before it reads any. */
    ModelDevice(
        final ModelContent content, final int blocks, final int blockSize, final int depth, final boolean writesKvFirst)
    {
        this.writesKvFirst = writesKvFirst;
        this.content = content;
        this.blockSize = blockSize;
        this.depth = depth;
        kv = new long[blocks][blockSize];
        forget();
    }

    /** KV memory is gone. */
    void forget()
    {
        for (final long[] block : kv)
        {
            Arrays.fill(block, POISON);
        }
    }

    /** Steps that come from now on are computed with new weights. */
    void newWeights(final int generation)
    {
        weights = generation;
    }

    void submit(final StepView plan)
    {
        assertEquals(weights, plan.weightGeneration(), "the step is for the weights that the device has then");
        for (int i = 0; i < plan.admittedCount(); i++)
        {
            tables.put(plan.admittedRequestId(i), new ArrayList<>());
            computedBy.put(plan.admittedRequestId(i),
                new ArrayList<>(Collections.nCopies(plan.matchedBlocks(i) * blockSize, weights)));
        }
        for (int i = 0; i < plan.changeCount(); i++)
        {
            final List<Integer> table = tables.get(plan.changeRequestId(i));
            assertEquals(table.size(), plan.changeIndex(i), "a table grows by one block at a time");
            table.add(plan.changeBlockId(i));
            if (!plan.changeIsMatch(i))
            {
                // A step in flight that still needed the former content finds out.
                Arrays.fill(kv[plan.changeBlockId(i)], POISON);
            }
        }
        final List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < plan.entryCount(); i++)
        {
            final int[] table =
                tables.get(plan.requestId(i)).stream().mapToInt(Integer::intValue).toArray();
            assertTrue(plan.end(i) <= table.length * blockSize, "blocks cover the end of the entry");
            entries.add(new Entry(plan.requestId(i), plan.start(i), plan.slack(i), plan.tokenCount(i), plan.end(i),
                plan.predecessorBack(i), plan.predecessorEntry(i), plan.samples(i), table,
                computedBy.get(plan.requestId(i))));
        }
        queued.add(new Step(plan.epoch(), plan.step(), plan.tokens(), weights, entries));
        assertTrue(queued.size() + launched.size() <= depth, "more steps than the depth");
    }

    boolean canLaunch()
    {
        return !queued.isEmpty();
    }

    boolean canLand()
    {
        return !launched.isEmpty();
    }

    int inFlight()
    {
        return queued.size() + launched.size();
    }

    /** The step at this place in the order of launch. */
    Step inFlight(final int index)
    {
        final List<Step> steps = new ArrayList<>();
        launched.forEach(result -> steps.add(result.step()));
        steps.addAll(queued);
        return steps.get(index);
    }

    /** The step never runs, or its results are lost. */
    void abort(final long step)
    {
        queued.removeIf(queuedStep -> queuedStep.number() == step);
        launched.stream().filter(result -> result.step().number() == step).forEach(past::add);
        launched.removeIf(result -> result.step().number() == step);
        keepFewPast();
    }

    private void keepFewPast()
    {
        while (past.size() > MOST_PAST)
        {
            past.remove();
        }
    }

    /** Results that were reported, or whose step was aborted, the oldest first. */
    List<Result> past()
    {
        return List.copyOf(past);
    }

    Step launch()
    {
        final Step step = queued.remove();
        nextStarts.headMap(step.number() - depth).clear();
        final StepTokens tokens = new StepTokens().begin(0, 0, 0);
        final List<long[]> rows = new ArrayList<>();
        final int[] next = new int[step.entries().size()];
        for (int i = 0; i < next.length; i++)
        {
            next[i] = start(step, step.entries().get(i));
            sample(step, step.entries().get(i), next[i]);
        }
        if (writesKvFirst)
        {
            touch(step, next, this::write);
            touch(step, next, this::read);
        }
        else
        {
            touch(step, next, this::read);
            touch(step, next, this::write);
        }
        for (int i = 0; i < next.length; i++)
        {
            next[i] = run(step, step.entries().get(i), next[i], tokens, rows);
        }
        nextStarts.put(step.number(), next);
        launched.add(new Result(step, tokens, rows));
        return step;
    }

    Result land()
    {
        past.add(launched.element());
        keepFewPast();
        return launched.remove();
    }

    /** The results of the step behind the one that should be reported. */
    Result landSecond()
    {
        final Result first = launched.remove();
        final Result second = launched.remove();
        launched.addFirst(first);
        return second;
    }

    int landable()
    {
        return launched.size();
    }

    /** Draft tokens that are right are those that the device samples. */
    private void sample(final Step step, final Entry entry, final int start)
    {
        final int accepted = accepted(entry, start);
        final int last = entry.back() == 0 ? start + entry.count() : start + accepted;
        for (int position = last - accepted + 1; position <= last; position++)
        {
            content.sampled(entry.requestId(), position, content.token(entry.requestId(), position, step.weights()));
        }
    }

    private int accepted(final Entry entry, final int start)
    {
        final boolean isVoid = entry.back() > 0 && start >= entry.end();
        return !entry.samples() || isVoid ? 0 : entry.back() == 0 ? 1 :
            Math.min(content.accepted(entry.requestId(), start, entry.count()), entry.end() - start);
    }

    private void touch(final Step step, final int[] starts, final Memory memory)
    {
        for (int i = 0; i < starts.length; i++)
        {
            memory.access(step, step.entries().get(i), starts[i]);
        }
    }

    private int start(final Step step, final Entry entry)
    {
        final int start = entry.back() == 0 ? entry.start() :
            nextStarts.get(step.number() - entry.back())[entry.predecessor()];
        assertTrue(start >= entry.start() && start <= entry.start() + entry.slack(), () -> "request " +
            entry.requestId() + " starts at " + start + " and not within " + entry);
        return start;
    }

    private void read(final Step step, final Entry entry, final int start)
    {
        for (int position = 0; position < Math.min(start, entry.end()); position++)
        {
            assertEquals(content.of(entry.requestId(), position, entry.weights().get(position)),
                at(entry, position)[position % blockSize],
                "what a request reads at a position below its start");
        }
    }

    private void write(final Step step, final Entry entry, final int start)
    {
        for (int i = 0; i < entry.count(); i++)
        {
            final int position = start + i;
            if (position < entry.end())
            {
                at(entry, position)[position % blockSize] = content.of(entry.requestId(), position, step.weights());
                compute(entry.weights(), position, step.weights());
            }
        }
    }

    private int run(
        final Step step, final Entry entry, final int start, final StepTokens tokens, final List<long[]> rows)
    {
        tokens.entry(start);
        final int accepted = accepted(entry, start);
        final int last = entry.back() == 0 ? start + entry.count() : start + accepted;
        for (int i = accepted - 1; i >= 0; i--)
        {
            tokens.accept(content.token(entry.requestId(), last - i, step.weights()));
        }
        for (int i = 0; i < entry.count(); i++)
        {
            final boolean computed = entry.back() == 0 || i < accepted;
            rows.add(new long[] {computed ?
                content.of(entry.requestId(), start + i, step.weights()) : content.garbage(step.number(), i)});
        }
        return last;
    }

    private static void compute(final List<Integer> weights, final int position, final int generation)
    {
        if (position < weights.size())
        {
            weights.set(position, generation);
        }
        else
        {
            weights.add(generation);
        }
    }

    private long[] at(final Entry entry, final int position)
    {
        return kv[entry.table()[position / blockSize]];
    }
}
