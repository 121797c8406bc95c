// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.SeededTokens;
import io.signalbox.cuda.kernel.ExpertRouterMode;
import io.signalbox.cuda.kernel.ExpertRouterOracle;
import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.cuda.kernel.LogitsType;
import io.signalbox.cuda.kernel.SeededLogits;
import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.scheduler.SchedulerConfig;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** A threaded engine over a CUDA backend, its requests, and what the oracle says of them. */
final class EngineRun
{
    static final ExpertRouterSpec ROUTER = ExpertRouterSpec.plain(40, 4, ExpertRouterMode.SOFTMAX_TOPK, LogitsType.BF16);
    static final ModelShape SHAPE = new ModelShape(3, ROUTER.experts(), ROUTER.topK());
    /** Few levels, so that ties abound. */
    static final SeededLogits LOGITS = new SeededLogits(7, 16);
    static final int REQUESTS = 12;
    private static final int NO_ROWS = -1;
    private static final int PROMPT_TOKENS = 40;
    private static final int NEW_TOKENS = 6;
    private static final Duration WAIT = Duration.ofMinutes(1);

    private final List<CompletionHandle> handles = new ArrayList<>();
    private final List<RoutedExperts> experts = new ArrayList<>();

    /** @param capture null: off. */
    static EngineRun of(final CudaBackend backend, final int ranks, final ModelShape capture)
    {
        final EngineRun run = new EngineRun();
        final EngineConfig context = new EngineConfig().backend(backend).scheduler(SchedulerConfig.builder()
            .ranks(ranks).blockSizeTokens(16).kvBlocks(129).stepTokens(64)
            .depth(backend.capabilities().depth()).capture(capture).build());
        try (SignalboxEngine engine = SignalboxEngine.launch(context))
        {
            run.submitAll(engine, capture == null ? NO_ROWS : 0);
            for (final CompletionHandle handle : run.handles)
            {
                handle.await(WAIT);
                run.experts.add(capture == null ? null : handle.takeRoutedExperts(WAIT).orElse(null));
            }
        }
        catch (final Exception e)
        {
            throw new AssertionError(e);
        }
        return run;
    }

    static CudaBackendConfig config()
    {
        return new CudaBackendConfig()
            .router(ROUTER).moeLayers(SHAPE.moeLayers()).logits(LOGITS).maxStepTokens(64).maxGraphTokens(16);
    }

    /** No two prompts share a block, so that each row was computed for its own request. */
    private void submitAll(final SignalboxEngine engine, final int rowsFrom)
    {
        for (int i = 0; i < REQUESTS; i++)
        {
            final int first = i * PROMPT_TOKENS;
            final int[] prompt = IntStream.range(first, first + PROMPT_TOKENS).toArray();
            handles.add(engine.submit(CompletionRequest.prompt(prompt).maxNewTokens(NEW_TOKENS).routedExperts(rowsFrom)));
        }
    }

    Completion ended(final int request)
    {
        return handles.get(request).completion().toCompletableFuture().join();
    }

    /** Every token and every routed expert is that of the oracle. */
    void assertAsTheOracleSays()
    {
        for (int i = 0; i < REQUESTS; i++)
        {
            final long id = handles.get(i).requestId();
            assertArrayEquals(tokens(id), ended(i).tokens(), "tokens of request " + id);
            assertEquals(0, ended(i).missingRows(), "missing rows of request " + id);
            if (experts.get(i) != null)
            {
                assertArrayEquals(routedExperts(id), experts.get(i).ids(), "routed experts of request " + id);
            }
        }
    }

    private static int[] tokens(final long request)
    {
        return IntStream.range(PROMPT_TOKENS, PROMPT_TOKENS + NEW_TOKENS)
            .map(position -> SeededTokens.token(LOGITS.seed(), request, position)).toArray();
    }

    private static short[] routedExperts(final long request)
    {
        final ExpertRouterOracle oracle = new ExpertRouterOracle(ROUTER);
        final float[] logits = new float[ROUTER.experts()];
        final int[] chosen = new int[ROUTER.topK()];
        final float[] weights = new float[ROUTER.topK()];
        final int rows = PROMPT_TOKENS + NEW_TOKENS - 1;
        final short[] ids = new short[rows * SHAPE.rowIds()];
        int at = 0;
        for (int position = 0; position < rows; position++)
        {
            for (int layer = 0; layer < SHAPE.moeLayers(); layer++)
            {
                LOGITS.fill(request, position, layer, logits);
                oracle.route(logits, chosen, weights);
                for (final int expert : chosen)
                {
                    ids[at++] = (short)expert;
                }
            }
        }
        return ids;
    }
}
