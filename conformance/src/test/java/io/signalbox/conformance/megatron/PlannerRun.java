// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import io.signalbox.experts.ModelShape;
import io.signalbox.kv.hash.BlockHashFunction;
import io.signalbox.kv.hash.BlockHasher;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * A planner with the model in front of it. The rows of the model depend on the tokens up to and including the row's own
 * and on nothing else, as those of a real one do: so it is known what the rows of every finished request must be, and
 * the row of another request, of another position or of a wrong draft token is another row. The sampled token depends on
 * those tokens alone, too, so that requests of one prompt generate the same and share blocks of it after an eviction.
 */
final class PlannerRun
{
    static final ModelShape SHAPE = new ModelShape(2, 300, 2);
    private static final byte[] NO_CACHE_KEY = new byte[0];
    private static final int FIRST_SAMPLED = 10_000;
    private static final int WRONG_DRAFT = 10_000;
    /** For a row whose prompt is not complete: a token that would be seen at once. */
    private static final int NOT_READ = -7;

    final PagingConfig config;
    final MegatronPlanner planner;
    private final BlockHasher hasher;
    private final Random random;
    /** The tokens of live requests that are settled, as the model knows them. */
    private final TreeMap<Long, List<Integer>> settled = new TreeMap<>();
    private final TreeMap<Long, Integer> lengths = new TreeMap<>();
    private final List<Long> ended = new ArrayList<>();

    PlannerRun(final PagingConfig config, final long seed)
    {
        this.config = config;
        hasher = BlockHasher.of(BlockHashFunction.SHA_256, config.blockSizeTokens());
        planner = new MegatronPlanner(
            config, (id, tokens, count, hashes) -> hasher.hash(tokens, count, NO_CACHE_KEY, hashes), SHAPE);
        random = new Random(seed);
    }

    PlannerRun(final PagingConfig config)
    {
        this(config, 1);
    }

    PagedRequest submit(final long id, final int[] prompt, final int generate)
    {
        final long[] hashes = new long[prompt.length];
        hasher.hash(prompt, prompt.length, NO_CACHE_KEY, hashes);
        settled.put(id, new ArrayList<>(IntStream.of(prompt).boxed().toList()));
        lengths.put(id, prompt.length + generate);
        return planner.submit(id, prompt, prompt.length, hashes, generate, PagedRequest.NO_STOP_TOKEN);
    }

    long[] hashes(final int[] prompt)
    {
        final long[] hashes = new long[prompt.length / config.blockSizeTokens()];
        hasher.hash(prompt, prompt.length, NO_CACHE_KEY, hashes);
        return hashes;
    }

    /** Ids of the requests that ended, in their order. */
    List<Long> ended()
    {
        return ended;
    }

    /** One step, in which a random number of the right drafts is accepted; false when there was nothing to compute. */
    boolean step()
    {
        final boolean computes = planner.schedule().tokenCount() > 0;
        if (computes)
        {
            complete(-1);
        }
        return computes;
    }

    /**
     * Completes the scheduled step and checks what it ended.
     *
     * @param acceptedDrafts how many drafts each row accepts, right or wrong; -1 for a random number of the right ones.
     */
    void complete(final int acceptedDrafts)
    {
        final StepLayout layout = planner.layout();
        final int active = layout.activeRows();
        final int[][] rows = compute(layout);
        final int[] accepted = new int[active];
        final int[] sampled = new int[active];
        for (int i = 0; i < active; i++)
        {
            accepted[i] = acceptedDrafts >= 0 ? acceptedDrafts : random.nextInt(rightDrafts(layout, i) + 1);
            sampled[i] = settle(layout, i, accepted[i]);
        }
        if (config.draftTokens() > 0)
        {
            planner.verify(accepted);
        }
        planner.storeRows(rows);
        planner.update(sampled, drafts(layout));
        for (int i = 0; i < planner.finishedCount(); i++)
        {
            checkFinished(planner.finished(i));
        }
    }

    /** How many drafts the model would have sampled itself. */
    private int rightDrafts(final StepLayout layout, final int row)
    {
        final PagedRequest request = layout.request(row);
        final List<Integer> tokens = new ArrayList<>(settled.get(request.id()));
        int right = 0;
        while (!request.prefill && right < config.draftTokens() &&
            layout.tokenId(layout.firstToken(row) + 1 + right) == sample(tokens))
        {
            tokens.add(sample(tokens));
            right++;
        }
        return right;
    }

    private int[] drafts(final StepLayout layout)
    {
        final int active = layout.activeRows();
        final int[] drafts = new int[active * config.draftTokens()];
        for (int row = 0; row < active; row++)
        {
            final List<Integer> tokens = new ArrayList<>(settled.get(layout.request(row).id()));
            for (int j = 0; j < config.draftTokens(); j++)
            {
                final int right = sample(tokens);
                drafts[j * active + row] = random.nextInt(4) == 0 ? right + WRONG_DRAFT : right;
                tokens.add(drafts[j * active + row]);
            }
        }
        return drafts;
    }

    private static int sample(final List<Integer> tokens)
    {
        return FIRST_SAMPLED + (int)Long.remainderUnsigned(hash(tokens, tokens.size() - 1) >>> 8, 1000);
    }

    /** Returns what the row samples. */
    private int settle(final StepLayout layout, final int row, final int accepted)
    {
        final PagedRequest request = layout.request(row);
        final List<Integer> tokens = settled.get(request.id());
        final int end = layout.kvOffset(row) + layout.queryTokens(row);
        if (request.prefill && end < tokens.size())
        {
            return NOT_READ;
        }
        for (int i = 1; i <= accepted && !request.prefill; i++)
        {
            tokens.add(layout.tokenId(layout.firstToken(row) + i));
        }
        tokens.add(sample(tokens));
        return tokens.get(tokens.size() - 1);
    }

    private int[][] compute(final StepLayout layout)
    {
        final int[][] rows = new int[layout.tokenCount()][];
        for (int i = 0; i < layout.activeRows(); i++)
        {
            final List<Integer> tokens = new ArrayList<>(settled.get(layout.request(i).id()));
            for (int j = 0; j < layout.queryTokens(i); j++)
            {
                final int token = layout.firstToken(i) + j;
                final int position = layout.kvOffset(i) + j;
                if (position == tokens.size())
                {
                    tokens.add(layout.tokenId(token));
                }
                assertEquals(tokens.get(position), layout.tokenId(token), "token at position " + position);
                rows[token] = row(tokens, position);
            }
        }
        return rows;
    }

    private void checkFinished(final PagedRequest request)
    {
        final List<Integer> tokens = settled.get(request.id());
        final String name = "request " + request.id();
        assertEquals(lengths.get(request.id()), request.tokenCount(), name);
        for (int position = 0; position < request.tokenCount() - 1; position++)
        {
            assertEquals(tokens.get(position), request.token(position), name + ", token at " + position);
            assertArrayEquals(
                row(tokens, position), request.row(position, config.blockSizeTokens()), name + ", row at " + position);
        }
        ended.add(request.id());
    }

    /** Gives the requests that the last step ended back to the planner. */
    void recycle()
    {
        for (int i = 0; i < planner.finishedCount(); i++)
        {
            planner.recycle(planner.finished(i));
        }
    }

    private static long hash(final List<Integer> tokens, final int position)
    {
        long hash = position;
        for (int i = 0; i <= position; i++)
        {
            hash = (hash ^ tokens.get(i)) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        return hash;
    }

    private static int[] row(final List<Integer> tokens, final int position)
    {
        final long hash = hash(tokens, position);
        final int[] row = new int[SHAPE.rowIds()];
        for (int k = 0; k < row.length; k++)
        {
            // Even and odd experts, so that the two of one layer are distinct.
            row[k] = 2 * (int)Long.remainderUnsigned(hash >>> 8 * k, SHAPE.experts() / 2) + k % SHAPE.topK();
        }
        return row;
    }
}
