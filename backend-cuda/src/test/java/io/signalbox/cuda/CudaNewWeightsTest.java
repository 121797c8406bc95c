// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.ConfigException;
import io.signalbox.TestStrength;
import io.signalbox.cpu.CpuBackend;
import io.signalbox.cpu.CpuBackendConfig;
import io.signalbox.cuda.driver.CudaException;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.ThreadedDriver;
import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.FinishReason;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.engine.WeightSwap;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.ReadProgress;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.Precision;
import io.signalbox.recompute.Recomputation;
import io.signalbox.recompute.RecomputedRun;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.serving.ModelBackend;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * New weights on the emulated driver while steps are in flight, with graphs and without: the CPU backend, with the weights
 * of each generation, computes the journal again bit for bit. If a load fails, the device keeps the weights that it has.
 */
@Tag("threads")
@Timeout(600)
@ExtendWith(ThreadedDriver.class)
class CudaNewWeightsTest
{
    private static final Duration LONG = Duration.ofSeconds(300);
    private static final int CHANGES = TestStrength.count(2, 3);
    private static final int REQUESTS = 3;
    private static final int TOKENS = 16;
    private static final String FIRST = "generation-0";
    /** Two calls that wait for each other need two threads; on two cores the common pool of Java 25 has one. */
    private static final Executor THREADS = task -> new Thread(task, "new-weights").start();

    @TempDir
    private Path temporary;

    private static ModelWeights weights(final int generation)
    {
        return GeneratedModel.weights(DecoderRuns.WEIGHTS.plan(), 11 + generation);
    }

    private static CudaBackendConfig cuda()
    {
        return new CudaBackendConfig().model(weights(0)).weightVersion(FIRST).stepTimeout(LONG);
    }

    private static CompletionRequest request(final int index)
    {
        final int[] prompt = new int[12];
        Arrays.setAll(prompt, position -> position < 8 ? position : index % 40 + position);
        return CompletionRequest.prompt(prompt).maxNewTokens(TOKENS).temperature(index % 2 == 0 ? 0 : 0.75f).seed(index)
            .logprobs().routedExperts(0);
    }

    private SignalboxEngine launch(final ModelBackend backend, final int ranks, final int depth)
    {
        return SignalboxEngine.launch(new EngineConfig().backend(backend).stepTimeout(LONG)
            .scheduler(DecoderRuns.scheduler().ranks(ranks).depth(depth).kvBlocks(65).prefixCaching(true)
                .set(SchedulerConfig.MAX_RUNNING, 8).capture(DecoderRuns.SHAPE.withCombineWeights(true)).build())
            .vocabularySize(DecoderRuns.WEIGHTS.plan().vocabulary())
            .runJournal(new DirectoryJournal(temporary.resolve("run"), JournalConfig.of(Durability.PROCESS))));
    }

    @ParameterizedTest
    @CsvSource({"CONTINUE, 2, 2, F32, 16", "REQUEUE, 1, 4, F32, 4", "ABORT, 2, 1, BF16, 0"})
    void shouldComputeEachStepWithTheWeightsOfItsGeneration(
        final WeightSwap way, final int ranks, final int depth, final Precision precision, final int graphs)
        throws Exception
    {
        final CudaBackend backend =
            new CudaBackend(cuda().precision(precision).stepsInFlight(depth).maxGraphTokens(graphs));
        final List<CompletionHandle> handles = new ArrayList<>();
        try (SignalboxEngine engine = launch(backend, ranks, depth))
        {
            for (int generation = 0; generation <= CHANGES; generation++)
            {
                if (generation > 0)
                {
                    final String version = backend.prepareWeights("generation-" + generation, weights(generation));
                    handles.get(handles.size() - 1).iterator().hasNext();
                    engine.newWeights(way, version);
                }
                for (int i = 0; i < REQUESTS; i++)
                {
                    handles.add(engine.submit(request(handles.size())));
                }
            }
            checkEnds(way, handles);
        }
        recompute(new CpuBackend(ForwardModel.of(weights(0)), new CpuBackendConfig().precision(precision)
            .weightVersion(FIRST)), precision);
        if (TestStrength.isFull())
        {
            recompute(new CudaBackend(cuda().precision(precision).stepsInFlight(depth)), precision);
        }
    }

    @EnabledIfSystemProperty(named = "signalbox.tests", matches = "full")
    @Test
    void shouldComputeEachStepWithTheWeightsOfItsGenerationAtAnOddDepth() throws Exception
    {
        shouldComputeEachStepWithTheWeightsOfItsGeneration(WeightSwap.CONTINUE, 1, 3, Precision.BF16, 0);
    }

    private static void checkEnds(final WeightSwap way, final List<CompletionHandle> handles) throws Exception
    {
        int met = 0;
        for (int index = 0; index < handles.size(); index++)
        {
            final Completion ended = handles.get(index).await(LONG);
            met += ended.weights().size() > 1 || ended.reason() == FinishReason.NEW_WEIGHTS ? 1 : 0;
            assertTrue(ended.reason() == FinishReason.LENGTH ||
                way == WeightSwap.ABORT && ended.reason() == FinishReason.NEW_WEIGHTS, ended.toString());
            assertTrue(index < CHANGES * REQUESTS ||
                ended.weights().stream().allMatch(span -> span.generation() == CHANGES), ended.toString());
        }
        assertTrue(met > 0, "no request met a change");
    }

    private void recompute(final ModelBackend other, final Precision precision)
    {
        final RecomputedRun run = Recomputation.of(temporary.resolve("run"), ReadProgress.NONE).run(other,
            (generation, version) -> other.prepareWeights("generation-" + generation, weights(generation)),
            Recomputation.StepProgress.NONE);
        assertTrue(run.isEqual() && run.rows() > 50 && run.logprobs() > 50, precision + ": " + run);
    }

    /** Requests after the change have the bits of an engine that began with the new weights. */
    @ParameterizedTest
    @CsvSource({"0", "16"})
    void shouldAnswerAsAnEngineThatBeganWithTheNewWeights(final int graphs) throws Exception
    {
        final CudaBackend backend = new CudaBackend(cuda().maxGraphTokens(graphs));
        final int[] changed;
        final short[] rows;
        try (SignalboxEngine engine = launch(backend, 1, 2))
        {
            engine.submit(request(1)).await(LONG);
            engine.newWeights(WeightSwap.REQUEUE, backend.prepareWeights("next", weights(1)));
            final CompletionHandle handle = engine.submit(request(1));
            changed = handle.await(LONG).tokens();
            rows = handle.takeRoutedExperts(LONG).orElseThrow().ids();
        }
        temporary = temporary.resolve("fresh");
        try (SignalboxEngine engine =
            launch(new CudaBackend(cuda().model(weights(1)).maxGraphTokens(graphs)), 1, 2))
        {
            final CompletionHandle handle = engine.submit(request(1));
            assertArrayEquals(handle.await(LONG).tokens(), changed);
            assertArrayEquals(handle.takeRoutedExperts(LONG).orElseThrow().ids(), rows);
        }
    }

    private static int[] answer(final SignalboxEngine engine) throws Exception
    {
        return engine.submit(request(2)).await(LONG).tokens();
    }

    /** Each call of the load fails once; no failure breaks the context. */
    @ParameterizedTest
    @CsvSource({"cuMemcpyHtoDAsync, 7", "cuLaunchKernel, 1", "cuCtxSetCurrent, 1"})
    void shouldKeepTheWeightsIfALoadFails(final String call, final int calls) throws Exception
    {
        final CudaBackend backend = new CudaBackend(cuda());
        try (SignalboxEngine engine = launch(backend, 1, 1))
        {
            final int[] before = answer(engine);
            EmulatedDriver.failCall(call, calls, CudaException.OUT_OF_MEMORY);
            final String refused =
                assertThrows(ConfigException.class, () -> backend.prepareWeights("next", weights(1))).getMessage();
            assertTrue(refused.startsWith("the new weights could not be brought to the device: " + call), refused);
            engine.resetCache();
            assertArrayEquals(before, answer(engine));
            engine.newWeights(WeightSwap.CONTINUE, backend.prepareWeights("next", weights(1)));
            assertFalse(Arrays.equals(before, answer(engine)));
        }
    }

    /** Launches and memory of the second set have the types of the first set. */
    @Test
    void shouldRefuseOtherNumberFormatsOfTheSamePlan() throws Exception
    {
        final CudaBackend backend = new CudaBackend(cuda());
        try (SignalboxEngine engine = launch(backend, 1, 1))
        {
            final String refused =
                assertThrows(ConfigException.class, () -> backend.prepareWeights("x", weights(1).inBf16())).getMessage();
            assertEquals("a device would hold the matrix model.embed_tokens.weight of the new weights as BF16, but it " +
                "holds that of the first weights as F32; give a checkpoint with the number formats and the block sizes of " +
                "the first weights.", refused);
            answer(engine);
        }
    }

    private static void awaitCall(final String name, final long before)
    {
        while (EmulatedDriver.calls(name) == before)
        {
            Thread.onSpinWait();
        }
    }

    /** The old weights keep their memory until their last step has landed. */
    @Test
    void shouldNotOverwriteWeightsThatAStepInFlightReads() throws Exception
    {
        final CudaBackend backend = new CudaBackend(cuda().stepTimeout(Duration.ofNanos(20_000_000)));
        try (SignalboxEngine engine = launch(backend, 1, 1))
        {
            final int[] first = answer(engine);
            final String next = backend.prepareWeights("next", weights(1));
            EmulatedDriver.stallDevice(0);
            final long launched = EmulatedDriver.calls("cuGraphLaunch");
            final CompletionHandle stalled = engine.submit(request(2));
            awaitCall("cuGraphLaunch", launched);
            engine.newWeights(WeightSwap.ABORT, next);
            final String refused =
                assertThrows(ConfigException.class, () -> backend.prepareWeights("last", weights(2))).getMessage();
            assertEquals("the memory of the new weights is still in use after 20 ms, by steps in flight or by weights " +
                "that were announced; prepare them when these have ended.", refused);
            EmulatedDriver.release();
            final int[] tokens = stalled.await(LONG).tokens();
            assertArrayEquals(Arrays.copyOf(first, tokens.length), tokens);
            engine.newWeights(WeightSwap.CONTINUE, backend.prepareWeights("last", weights(2)));
            answer(engine);
            assertEquals(2, engine.weightGeneration());
        }
    }

    /** The loader's copies hang with the device when the engine is closed, and end with it. */
    @Test
    void shouldCloseWhileWeightsAreBeingLoaded() throws Exception
    {
        final CudaBackend backend = new CudaBackend(cuda());
        final SignalboxEngine engine = launch(backend, 1, 1);
        answer(engine);
        EmulatedDriver.stallDevice(0);
        final long launched = EmulatedDriver.calls("cuLaunchKernel");
        final CompletableFuture<String> load =
            CompletableFuture.supplyAsync(() -> backend.prepareWeights("next", weights(1)), THREADS);
        awaitCall("cuLaunchKernel", launched);
        final CompletableFuture<Void> close = CompletableFuture.runAsync(engine::closeNow, THREADS);
        while (!isClosing(backend))
        {
            Thread.onSpinWait();
        }
        EmulatedDriver.release();
        close.join();
        final String refused = assertThrows(CompletionException.class, load::join).getCause().getMessage();
        assertTrue(refused.startsWith("the CUDA backend was closed while") ||
            refused.startsWith("the backend cuda was closed"), refused);
    }

    /** A closed backend says that it was closed; a backend that is loading refuses a second load. */
    private static boolean isClosing(final CudaBackend backend)
    {
        return assertThrows(ConfigException.class, () -> backend.prepareWeights("x", weights(2))).getMessage()
            .contains("was closed");
    }

    @Test
    void shouldRefuseToPrepareWithoutVersionModelOrDevice()
    {
        assertTrue(assertThrows(ConfigException.class, () -> new CudaBackend(new CudaBackendConfig().model(weights(0)))
            .prepareWeights("x", weights(1))).getMessage().endsWith("; give it weightVersion."));
        assertTrue(assertThrows(ConfigException.class, () -> new CudaBackend(EngineRun.config())
            .prepareWeights("x", weights(1))).getMessage().startsWith("the CUDA backend computes no model"));
        assertTrue(assertThrows(ConfigException.class, () -> new CudaBackend(cuda()).prepareWeights("x", weights(1)))
            .getMessage().startsWith("the CUDA backend has no devices before it is started"));
    }
}
