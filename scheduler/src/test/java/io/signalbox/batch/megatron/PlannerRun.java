// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch.megatron;

import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExpertPages;
import io.signalbox.experts.RowPolicy;
import io.signalbox.kv.BlockHashFunction;
import io.signalbox.kv.BlockHasher;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
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
 * the row of another request, of another position or of a rejected draft token is another row.
 */
final class PlannerRun
{
    static final ModelShape SHAPE = new ModelShape(2, 300, 2);
    private static final byte[] NO_CACHE_KEY = new byte[0];

    final PagingConfig config;
    final RoutedExpertPages pages;
    final MegatronPlanner planner;
    private final BlockHasher hasher;
    private final Random random;
    /** The tokens of live requests that are settled, as the model knows them. */
    private final TreeMap<Long, List<Integer>> settled = new TreeMap<>();
    private final TreeMap<Long, Integer> lengths = new TreeMap<>();
    private final List<Long> ended = new ArrayList<>();

    PlannerRun(final PagingConfig config, final RowPolicy policy, final long seed)
    {
        this.config = config;
        pages = new RoutedExpertPages(SHAPE, config.blockSizeTokens(), policy);
        hasher = BlockHasher.of(BlockHashFunction.SHA_256, config.blockSizeTokens());
        planner = new MegatronPlanner(
            config, (id, tokens, count, hashes) -> hasher.hash(tokens, count, NO_CACHE_KEY, hashes), pages);
        random = new Random(seed);
    }

    PlannerRun(final PagingConfig config)
    {
        this(config, RowPolicy.CONTRACT, 1);
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

    /** One step, in which a random number of drafts is accepted; false when there was nothing to compute. */
    boolean step()
    {
        final boolean computes = planner.schedule().tokenCount() > 0;
        if (computes)
        {
            complete(-1);
        }
        return computes;
    }

    /** Completes the scheduled step and checks what it ended. */
    void complete(final int acceptedDrafts)
    {
        final StepLayout layout = planner.layout();
        final int active = layout.activeRows();
        final UnsafeBuffer rows = compute(layout);
        final int[] accepted = new int[active];
        final int[] sampled = new int[active];
        for (int i = 0; i < active; i++)
        {
            accepted[i] = acceptedDrafts >= 0 ? acceptedDrafts : random.nextInt(config.draftTokens() + 1);
            sampled[i] = 10_000 + random.nextInt(1000);
            settle(layout, i, accepted[i], sampled[i]);
        }
        if (config.draftTokens() > 0)
        {
            planner.verify(accepted);
        }
        planner.storeRows(rows, 0);
        planner.update(sampled, random.ints((long)active * config.draftTokens(), 20_000, 21_000).toArray());
        for (int i = 0; i < planner.finishedCount(); i++)
        {
            checkFinished(planner.finished(i));
        }
    }

    private void settle(final StepLayout layout, final int row, final int accepted, final int sampled)
    {
        final PagedRequest request = layout.request(row);
        final List<Integer> tokens = settled.get(request.id());
        final int end = layout.kvOffset(row) + layout.queryTokens(row);
        if (request.prefill && end < tokens.size())
        {
            return;
        }
        for (int i = 1; i <= accepted && !request.prefill; i++)
        {
            tokens.add(layout.tokenId(layout.firstToken(row) + i));
        }
        tokens.add(sampled);
    }

    private UnsafeBuffer compute(final StepLayout layout)
    {
        final UnsafeBuffer rows = new UnsafeBuffer(new byte[layout.tokenCount() * SHAPE.rowBytes()]);
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
                put(rows, token * SHAPE.rowBytes(), row(tokens, position));
            }
        }
        return rows;
    }

    private static void put(final UnsafeBuffer rows, final int offset, final short[] row)
    {
        for (int k = 0; k < row.length; k++)
        {
            rows.putShort(offset + k * Short.BYTES, row[k], ByteOrder.LITTLE_ENDIAN);
        }
    }

    private void checkFinished(final PagedRequest request)
    {
        final List<Integer> tokens = settled.get(request.id());
        final String name = "request " + request.id();
        assertEquals(lengths.get(request.id()), request.tokenCount(), name);
        final int width = SHAPE.moeLayers() * SHAPE.topK();
        final int rows = request.tokenCount() - 1;
        final short[] expected = new short[rows * width];
        for (int position = 0; position < rows; position++)
        {
            assertEquals(tokens.get(position), request.token(position), name + ", token at " + position);
            System.arraycopy(row(tokens, position), 0, expected, position * width, width);
        }
        assertArrayEquals(expected, request.rows().copy(0, rows).ids(), name + ", rows");
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

    private static short[] row(final List<Integer> tokens, final int position)
    {
        long hash = position;
        for (int i = 0; i <= position; i++)
        {
            hash = (hash ^ tokens.get(i)) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        final short[] row = new short[SHAPE.moeLayers() * SHAPE.topK()];
        for (int k = 0; k < row.length; k++)
        {
            // Even and odd experts, so that the two of one layer are distinct.
            row[k] = (short)(2 * Long.remainderUnsigned(hash >>> 8 * k, SHAPE.experts() / 2) + k % SHAPE.topK());
        }
        return row;
    }
}
