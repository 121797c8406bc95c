// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.EntryVerdict;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.WeightsWay;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Which weights computed each row and sampled each token of every request, as the steps tell of it. */
final class ModelWeights
{
    private final int blockSize;
    private final Map<List<Long>, Integer> steps = new HashMap<>();
    private final Map<Long, List<Integer>> rows = new HashMap<>();
    private final Map<Long, List<Integer>> tokens = new HashMap<>();
    private final Map<Long, Integer> admittedIn = new HashMap<>();
    /** Tokens that a request shared at its last admission, also with steps in flight. */
    private final Map<Long, Integer> shared = new HashMap<>();
    /** Per rank the number of its cache generation. */
    private final int[] cacheGenerations;
    private int newestCacheGeneration;
    /** Requests that were admitted before take part in no further step. */
    private int oldestStay;
    private int current;

    ModelWeights(final int blockSize, final int ranks)
    {
        cacheGenerations = new int[ranks];
        this.blockSize = blockSize;
    }

    /** Generation of the weights for steps that are planned from now on. */
    int current()
    {
        return current;
    }

    /** The next input makes the ranks forget what they have computed. */
    void forgetPrefixes()
    {
        Arrays.fill(cacheGenerations, ++newestCacheGeneration);
    }

    /** The next input makes one rank forget what it has computed. */
    void forgetPrefixes(final int rank)
    {
        cacheGenerations[rank] = ++newestCacheGeneration;
    }

    void replaced(final int generation, final WeightsWay way)
    {
        oldestStay = way == WeightsWay.CONTINUE ? oldestStay : newestCacheGeneration;
        assertEquals(current + 1, generation, "generations count upwards");
        current = generation;
    }

    void onSchedule(final StepView step)
    {
        assertEquals(current, step.weightGeneration(), () -> "the weights of step " + step.step());
        steps.put(List.of((long)step.rank(), step.step()), current);
        final int cacheGeneration = cacheGenerations[step.rank()];
        for (int i = 0; i < step.admittedCount(); i++)
        {
            final List<Integer> computed = of(rows, step.admittedRequestId(i));
            final Integer before = admittedIn.put(step.admittedRequestId(i), cacheGeneration);
            if (tokens(step.admittedRequestId(i)).isEmpty() && before != null && before != cacheGeneration)
            {
                // No token depends on what was computed in a former generation: it is computed again.
                computed.clear();
            }
            final int pending = pendingMatches(step, step.admittedRequestId(i));
            shared.put(step.admittedRequestId(i), step.matchedBlocks(i) * blockSize);
            while (computed.size() < (step.matchedBlocks(i) - pending) * blockSize)
            {
                computed.add(current);
            }
        }
        for (int i = 0; i < step.entryCount(); i++)
        {
            final long id = step.requestId(i);
            assertTrue(admittedIn.get(id) >= oldestStay, () -> "request " + id + " continues on blocks of former weights");
        }
    }

    private static int pendingMatches(final StepView step, final long id)
    {
        return (int)IntStream.range(0, step.changeCount())
            .filter(i -> step.changeRequestId(i) == id && step.changeIsPendingMatch(i)).count();
    }

    void onCommit(final CommitView commit)
    {
        final int generation = steps.get(List.of((long)commit.rank(), commit.step()));
        for (int entry = 0; entry < commit.entryCount(); entry++)
        {
            if (commit.verdict(entry) == EntryVerdict.LIVE || commit.advance(entry) > 0)
            {
                final List<Integer> computed = of(rows, commit.requestId(entry));
                assertTrue(commit.start(entry) <= Math.max(computed.size(), shared.get(commit.requestId(entry))),
                    "no token is left out");
                while (computed.size() < commit.start(entry) + commit.advance(entry))
                {
                    computed.add(generation);
                }
                for (int i = 0; i < commit.emitted(entry); i++)
                {
                    of(tokens, commit.requestId(entry)).add(generation);
                }
            }
        }
    }

    /** The spans of a request that has ended are those of its rows, and of the tokens behind them. */
    void onFree(final FreeDecoder free, final int promptTokens)
    {
        final List<Integer> spans = new ArrayList<>();
        final List<Integer> starts = new ArrayList<>();
        free.sbeRewind().released().forEach(block ->
        {
        });
        free.weightSpans().forEach(span ->
        {
            starts.add(span.from());
            spans.add(span.weightGeneration());
        });
        free.sbeRewind();
        final List<Integer> computed = rows(free.requestId());
        for (int position = 0; position < computed.size(); position++)
        {
            final int generation = computed.get(position);
            if (position == 0 || generation != computed.get(position - 1))
            {
                assertTrue(!starts.isEmpty() && starts.remove(0) == position, "a span starts at " + position);
                assertEquals(generation, spans.remove(0), "the weights from position " + position + " on");
            }
        }
        assertEquals(List.of(), spans, "spans without rows");
        final List<Integer> sampled = tokens(free.requestId());
        for (int i = 0; i < sampled.size(); i++)
        {
            assertEquals(computed.get(promptTokens - 1 + i), sampled.get(i), "weights of row and token behind it");
        }
    }

    /** The client has found the end of the answer. */
    void cut(final long id, final int rowCount, final int tokenCount)
    {
        cut(of(rows, id), rowCount);
        cut(of(tokens, id), tokenCount);
    }

    private static void cut(final List<Integer> list, final int count)
    {
        list.subList(Math.min(count, list.size()), list.size()).clear();
    }

    /** Per position the weights of its row. */
    List<Integer> rows(final long id)
    {
        return rows.getOrDefault(id, List.of());
    }

    /** Per generated token the weights that sampled it. */
    List<Integer> tokens(final long id)
    {
        return tokens.getOrDefault(id, List.of());
    }

    private static List<Integer> of(final Map<Long, List<Integer>> lists, final long id)
    {
        return lists.computeIfAbsent(id, unknown -> new ArrayList<>());
    }
}
