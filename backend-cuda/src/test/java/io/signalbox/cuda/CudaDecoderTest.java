// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.backend.Backend;
import io.signalbox.cpu.CpuBackend;
import io.signalbox.cpu.CpuBackendConfig;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.ThreadedDriver;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.FinishReason;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.event.EventReader;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.ReadProgress;
import io.signalbox.model.AttentionPlan;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertsPlan;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelFamily;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.QkNorm;
import io.signalbox.model.WeightType;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.Precision;
import io.signalbox.recompute.Recomputation;
import io.signalbox.recompute.RecomputedRun;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A real model on the emulated driver behind the threaded engine, with prefix hits, preemptions, graphs and several steps in
 * flight: every token, log-probability, routed expert and combine weight is that of the CPU backend, and the journal
 * verifies.
 */
@Tag("threads")
@Timeout(600)
@ExtendWith(ThreadedDriver.class)
class CudaDecoderTest
{
    private static final Duration LONG = Duration.ofSeconds(300);
    private static final int REQUESTS = 8;
    private static final int BLOCK_SIZE = 4;
    /**
     * Before its fifth token, an answer has none of the stop tokens: two thirds of the vocabulary, and tokens beyond it.
     * No logit belongs to the latter, so the sampler would write into the next row of logits.
     */
    private static final int LEAST = 4;
    private static final int[] STOP_TOKENS = IntStream.range(0, 66).filter(token -> token % 3 != 0).toArray();
    private static final ModelWeights WEIGHTS = GeneratedModel.weights(DecoderPlan.of(ModelFamily.OLMOE, WeightType.F32, 2,
        32, 60, AttentionPlan.of(2, 2, 8, 10_000.0).withQkNorm(QkNorm.FULL_WIDTH).withClip(1.5),
        ExpertsPlan.softmax(8, 2, 12, false)).withMaxPositions(64), 11);
    private static final ModelShape SHAPE = WEIGHTS.plan().shape();

    @TempDir
    private Path temporary;

    /** The tokens of a request with their log-probabilities, its rows, and why it ended. */
    private record Answer(int[] tokens, float[] logprobs, RoutedExperts rows, FinishReason reason)
    {
    }

    /** Counts preemptions. */
    private static final class Preemptions extends EventReader
    {
        private final AtomicInteger count = new AtomicInteger();

        @Override
        protected void onRequeued(final RequeuedDecoder message)
        {
            if (message.reason() == RequeueReason.PREEMPTED)
            {
                count.incrementAndGet();
            }
        }
    }

    private static boolean wantsLogprobs(final int index)
    {
        return index % 4 < 2;
    }

    private static int[] prompt(final int index)
    {
        final SplittableRandom random = new SplittableRandom(index);
        final int[] prompt = new int[1 + random.nextInt(20)];
        for (int i = 0; i < prompt.length; i++)
        {
            prompt[i] = i < 8 ? index % 2 * 20 + i : random.nextInt(WEIGHTS.plan().vocabulary());
        }
        return prompt;
    }

    private static CompletionRequest request(final int index)
    {
        final boolean greedy = index % 3 == 0;
        final CompletionRequest request = CompletionRequest.prompt(prompt(index)).maxNewTokens(2 + index * 5 % 12)
            .temperature(greedy ? 0 : 0.75f).topK(index % 3 == 1 ? 20 : 0).topP(index % 2 == 0 ? 1.0f : 0.875f)
            .seed(100 + index).routedExperts(0);
        final CompletionRequest limited = index % 4 == 3 ? request.stopAt(STOP_TOKENS).minNewTokens(LEAST) : request;
        return wantsLogprobs(index) ? limited.logprobs() : limited;
    }

    private List<Answer> serve(
        final Backend backend, final int ranks, final int depth, final int drafts, final ModelShape shape,
        final Preemptions preemptions, final Path journal) throws Exception
    {
        // The largest request fits into nine blocks. Of two ranks, one has the three requests of few prompt and many output
        // tokens: they begin together and do not all fit to their ends, whatever the steps are.
        final SchedulerConfig scheduler = SchedulerConfig.builder().ranks(ranks).kvBlocks(ranks == 1 ? 13 : 10)
            .blockSizeTokens(BLOCK_SIZE).stepTokens(16).depth(depth).draftTokens(drafts).capture(shape).prefixCaching(true)
            .sameStepSharing(true).build();
        final EngineConfig config = new EngineConfig().scheduler(scheduler).backend(backend)
            .vocabularySize(WEIGHTS.plan().vocabulary()).impossibleRows(EngineConfig.ImpossibleRows.FAIL_STEP)
            .listener(preemptions::readGroup)
            .runJournal(new DirectoryJournal(journal, JournalConfig.of(Durability.PROCESS)));
        final List<Answer> answers = new ArrayList<>();
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            final List<CompletionHandle> handles = new ArrayList<>();
            // No request ends before the last has come, so that they run together and the pool is too small for them.
            EmulatedDriver.stallDevice(0);
            for (int index = 0; index < REQUESTS; index++)
            {
                final int rank = ranks == 2 && index > 0 && index % 2 == 0 ? 1 : 0;
                handles.add(engine.submit(request(index).rankHint(rank, false)));
            }
            EmulatedDriver.release();
            for (final CompletionHandle handle : handles)
            {
                final FinishReason reason = handle.await(LONG).reason();
                answers.add(new Answer(handle.tokens(), wantsLogprobs(answers.size()) ? handle.logprobs() : new float[0],
                    handle.takeRoutedExperts(LONG).orElse(null), reason));
            }
        }
        return answers;
    }

    @ParameterizedTest
    @CsvSource({"1, 1, F32, 0, 2, true", "1, 2, BF16, 16, 3, true", "2, 2, F32, 16, 0, false"})
    void shouldAnswerAsTheCpuBackend(
        final int ranks, final int depth, final Precision precision, final int graphs, final int drafts,
        final boolean combineWeights) throws Exception
    {
        final ModelShape shape = SHAPE.withCombineWeights(combineWeights);
        final Preemptions preemptions = new Preemptions();
        final CpuBackendConfig cpu = new CpuBackendConfig().threads(1).precision(precision);
        final List<Answer> expected = serve(new CpuBackend(ForwardModel.of(WEIGHTS), cpu), ranks, depth, 0, shape,
            new Preemptions(), temporary.resolve("cpu"));
        final CudaBackendConfig cuda = new CudaBackendConfig().model(WEIGHTS).precision(precision).stepsInFlight(depth)
            .maxGraphTokens(graphs).stepTimeout(LONG);
        if (drafts > 0)
        {
            cuda.draftScript(script(expected));
            cpu.draftScript(script(expected));
        }
        final List<Answer> found = serve(
            new CudaBackend(cuda), ranks, depth, drafts, shape, preemptions, temporary.resolve("cuda"));
        for (int index = 0; index < REQUESTS; index++)
        {
            assertArrayEquals(expected.get(index).tokens(), found.get(index).tokens(), "tokens of request " + index);
            assertEquals(expected.get(index).reason(), found.get(index).reason(), "request " + index);
            final boolean stopped = found.get(index).reason() == FinishReason.STOP;
            assertTrue(stopped ? found.get(index).tokens().length > LEAST :
                found.get(index).reason() == FinishReason.LENGTH, "request " + index);
            assertArrayEquals(expected.get(index).logprobs(), found.get(index).logprobs(), 0.0f, "request " + index);
            compareRows(expected.get(index).rows(), found.get(index).rows(), "request " + index);
        }
        // With draft tokens the requests end so soon that the pool may suffice; CudaDraftsTest has preemptions.
        assertTrue(drafts > 0 || preemptions.count.get() > 0, "nothing was preempted");
        assertNull(JournalVerifier.verify(temporary.resolve("cuda"), Scheduler::new).difference());
        recompute("cuda", new CpuBackend(ForwardModel.of(WEIGHTS), cpu.threads(2)));
        recompute("cpu", new CudaBackend(new CudaBackendConfig().model(WEIGHTS).precision(precision).stepsInFlight(depth)));
    }

    /** The answers, of which every fourth token is wrong. */
    private Path script(final List<Answer> answers) throws IOException
    {
        final StringBuilder lines = new StringBuilder();
        for (int index = 0; index < REQUESTS; index++)
        {
            final int[] tokens = answers.get(index).tokens().clone();
            for (int i = 3; i < tokens.length; i += 4)
            {
                tokens[i] = (tokens[i] + 1) % WEIGHTS.plan().vocabulary();
            }
            lines.append("{\"prompt\": ").append(Arrays.toString(prompt(index))).append(", \"tokens\": ")
                .append(Arrays.toString(tokens)).append("}\n");
        }
        return Files.writeString(temporary.resolve("script.jsonl"), lines);
    }

    /** The journal of one backend is confirmed by the other. */
    private void recompute(final String journal, final Backend other)
    {
        final RecomputedRun run =
            Recomputation.of(temporary.resolve(journal), ReadProgress.NONE).run(other, Recomputation.StepProgress.NONE);

        assertNull(run.difference(), journal);
        assertTrue(run.steps() > 10 && run.rows() == run.tokens() && run.logprobs() > 0, run.toString());
    }

    private static void compareRows(final RoutedExperts expected, final RoutedExperts found, final String what)
    {
        assertEquals(expected.rows(), found.rows(), what);
        assertEquals(0, found.count(RoutedExperts.RowState.MISSING), what);
        for (int row = 0; row < expected.rows(); row++)
        {
            for (int i = 0; i < SHAPE.rowIds(); i++)
            {
                final int layer = i / SHAPE.topK();
                final int k = i % SHAPE.topK();
                assertEquals(expected.expert(row, layer, k), found.expert(row, layer, k), what + ", position " + row);
                if (expected.hasCombineWeights())
                {
                    assertEquals(expected.combineWeight(row, layer, k), found.combineWeight(row, layer, k), 0.0f,
                        what + ", position " + row);
                }
            }
        }
    }
}
