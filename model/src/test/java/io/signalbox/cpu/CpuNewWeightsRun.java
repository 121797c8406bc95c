// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.backend.Backend;
import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.FinishReason;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.engine.WeightSwap;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.experts.WeightSpan;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.Precision;
import io.signalbox.model.forward.TokenSampler;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.testkit.FaultyBackend;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A run of a real model whose weights are replaced, twice, while requests run and steps are in flight. Each position must
 * have the bits of the weights that the request names for it: on keys and values of former weights if the requests finish,
 * and on those of the same weights otherwise. Prompts share prefixes, which no generation may take from another one.
 *
 * @param faults about one step in so many goes wrong; 0: none.
 */
public record CpuNewWeightsRun(WeightSwap way, int ranks, int depth, int threads, Precision precision, int faults)
{
    static final int CHANGES = 2;
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final List<ForwardModel> MODELS = IntStream.rangeClosed(0, CHANGES)
        .mapToObj(generation -> ForwardModel.of(TinyModels.generation(generation))).toList();
    private static final ModelShape SHAPE = MODELS.get(0).plan().shape().withCombineWeights(true);
    /** Per generation. */
    private static final int REQUESTS = 6;
    private static final int SHARED = 26;
    private static final int NEW_TOKENS = 60;

    private static int[] prompt(final int index)
    {
        final SplittableRandom random = new SplittableRandom(index);
        return IntStream.range(0, SHARED + 1 + random.nextInt(30))
            .map(i -> i < SHARED ? index % 2 * 50 + i : random.nextInt(MODELS.get(0).plan().vocabulary())).toArray();
    }

    private static TokenSampler.SamplingChoice choice(final int index)
    {
        return index % 2 == 0 ? new TokenSampler.SamplingChoice(0, 0, 1, 5) :
            new TokenSampler.SamplingChoice(0.75f, 20, 0.875f, 100 + index);
    }

    private static CompletionRequest request(final int index)
    {
        final TokenSampler.SamplingChoice choice = choice(index);
        return CompletionRequest.prompt(prompt(index)).maxNewTokens(NEW_TOKENS).temperature(choice.temperature())
            .topK(choice.topK()).topP(choice.topP()).seed(choice.seed()).logprobs().routedExperts(0);
    }

    public static CpuBackend backend(final int threads, final Precision precision)
    {
        return new CpuBackend(MODELS.get(0), new CpuBackendConfig().threads(threads).precision(precision)
            .weightVersion("generation-0"));
    }

    /** Throws an {@link AssertionError} if a bit differs; returns the versions. */
    public List<String> play(final Path journal) throws Exception
    {
        final CpuBackend sound = backend(threads, precision);
        final FaultyBackend faulty = new FaultyBackend(sound, depth, Math.max(1, faults), EnumSet.of(
            FaultyBackend.InjectedFault.STEP_FAILED, FaultyBackend.InjectedFault.RANK_LOST));
        final EngineConfig config = config(faults == 0 ? sound : faulty, journal);
        final List<CompletionHandle> handles = new ArrayList<>();
        final List<String> versions = new ArrayList<>();
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            submit(engine, handles);
            for (int generation = 1; generation <= CHANGES; generation++)
            {
                versions.add(sound.prepareWeights("generation-" + generation, TinyModels.generation(generation)));
                // The newest requests have started, and have generated few tokens.
                handles.get(handles.size() - 1).iterator().hasNext();
                engine.newWeights(way, versions.get(generation - 1));
                submit(engine, handles);
            }
            for (int index = 0; index < handles.size(); index++)
            {
                check(index, handles.get(index));
            }
        }
        checkMixture(handles);
        return versions;
    }

    private EngineConfig config(final Backend backend, final Path journal)
    {
        return new EngineConfig().backend(backend)
            .scheduler(SchedulerConfig.builder().ranks(ranks).kvBlocks(1025).blockSizeTokens(4).stepTokens(64).depth(depth)
                .capture(SHAPE).prefixCaching(true).sameStepSharing(true).maxFailures(1000).build())
            .vocabularySize(MODELS.get(0).plan().vocabulary()).rankResets(1000)
            .runJournal(new DirectoryJournal(journal, JournalConfig.of(Durability.PROCESS)));
    }

    private static void submit(final SignalboxEngine engine, final List<CompletionHandle> handles)
    {
        for (int i = 0; i < REQUESTS; i++)
        {
            handles.add(engine.submit(request(handles.size())));
        }
    }

    private void check(final int index, final CompletionHandle handle) throws Exception
    {
        final Completion ended = handle.await(LONG);
        final String what = "request " + index + ", " + ended.reason() + ", " + ended.weights();
        final int[] prompt = prompt(index);
        final int count = handle.tokenCount();
        assertTrue(ended.reason() == FinishReason.LENGTH && count == NEW_TOKENS ||
            way == WeightSwap.ABORT && ended.reason() == FinishReason.NEW_WEIGHTS, what);
        final RoutedExperts rows = handle.takeRoutedExperts(LONG).orElse(null);
        assertEquals(0, rows.count(RoutedExperts.RowState.MISSING), what);
        for (final WeightSpan span : ended.weights())
        {
            final int known = Math.max(0, span.from() - prompt.length + 1);
            final LoneSequence alone = LoneSequence.of(
                position -> MODELS.get(way == WeightSwap.CONTINUE ? generation(ended, position) : span.generation()),
                precision, prompt, Arrays.copyOf(handle.tokens(), known), Math.max(1, count), choice(index));
            final int end = Math.max(known, Math.min(count, span.to() - prompt.length + 1));
            assertArrayEquals(Arrays.copyOfRange(alone.tokens(), known, end),
                Arrays.copyOfRange(handle.tokens(), known, end), what);
            assertArrayEquals(Arrays.copyOfRange(alone.logprobs(), known, end),
                Arrays.copyOfRange(handle.logprobs(), known, end), what);
            for (int row = span.from(); row < Math.min(rows.rows(), span.to()); row++)
            {
                checkRow(alone, rows, row, what);
            }
        }
    }

    private static int generation(final Completion ended, final int position)
    {
        return ended.weights().stream().filter(span -> position >= span.from() && position < span.to()).findFirst()
            .orElseThrow().generation();
    }

    private static void checkRow(final LoneSequence alone, final RoutedExperts rows, final int row, final String what)
    {
        for (int i = 0; i < SHAPE.rowIds(); i++)
        {
            final int layer = i / SHAPE.topK();
            final int k = i % SHAPE.topK();
            assertEquals(alone.experts()[row][i], rows.expert(row, layer, k), what + ", position " + row);
            assertEquals(alone.weights()[row][i], rows.combineWeight(row, layer, k), what + ", position " + row);
        }
    }

    /** Some requests met a change, and some began with the newest weights. */
    private void checkMixture(final List<CompletionHandle> handles) throws Exception
    {
        int met = 0;
        for (int index = 0; index < handles.size(); index++)
        {
            final Completion ended = handles.get(index).await(LONG);
            met += ended.weights().size() > 1 || ended.reason() == FinishReason.NEW_WEIGHTS ? 1 : 0;
            assertTrue(way != WeightSwap.ABORT || ended.weights().size() <= 1, "request " + index + " mixes generations");
            if (index >= CHANGES * REQUESTS)
            {
                assertTrue(ended.weights().stream().allMatch(span -> span.generation() == CHANGES), ended.toString());
            }
        }
        assertTrue(met > 0, "no request met a change");
    }
}
