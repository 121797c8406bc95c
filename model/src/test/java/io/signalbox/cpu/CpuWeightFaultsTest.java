// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.backend.RankSizes;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.engine.WeightSwap;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.model.AttentionPlan;
import io.signalbox.model.Checkpoint;
import io.signalbox.model.CheckpointRoundTrip;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertsPlan;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelFamily;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.QkNorm;
import io.signalbox.model.WeightType;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.Precision;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.serving.WeightVersion;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Wrong use of new weights ends in one sentence, and the engine continues with the weights that it has. */
@Tag("threads")
@Timeout(300)
class CpuWeightFaultsTest
{
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final int[] PROMPT = {3, 1, 4, 1, 5};
    private static final int TOKENS = 8;

    @TempDir
    private Path directory;

    private static CpuBackend backend(final ModelWeights weights, final String version)
    {
        return new CpuBackend(ForwardModel.of(weights), new CpuBackendConfig().threads(2).weightVersion(version));
    }

    private static CpuBackend backend(final int generation)
    {
        return backend(TinyModels.generation(generation), version(generation));
    }

    private static String version(final int generation)
    {
        return WeightVersion.of("policy-" + generation, TinyModels.generation(generation));
    }

    private static EngineConfig config(final Backend backend)
    {
        return new EngineConfig().backend(backend)
            .scheduler(SchedulerConfig.builder().ranks(2).kvBlocks(65).depth(2).build());
    }

    private static int[] answer(final SignalboxEngine engine) throws Exception
    {
        return engine.submit(CompletionRequest.prompt(PROMPT).maxNewTokens(TOKENS).temperature(0)).await(LONG).tokens();
    }

    private static int[] alone(final int generation) throws Exception
    {
        try (SignalboxEngine engine = SignalboxEngine.launch(config(backend(generation))))
        {
            return answer(engine);
        }
    }

    @Test
    void shouldRefuseWeightsThatWereNotPreparedAndGoOn() throws Exception
    {
        try (SignalboxEngine engine = SignalboxEngine.launch(config(backend(0))))
        {
            final String refusal = assertThrows(IllegalArgumentException.class,
                () -> engine.newWeights(WeightSwap.CONTINUE, "policy-1")).getMessage();
            assertEquals("the backend cpu does not have the weights 'policy-1'; it has '" + version(0) + "'; prepare the " +
                "weights before you announce them, or start the backend with them", refusal);
            assertArrayEquals(alone(0), answer(engine));
            assertEquals(0, engine.weightGeneration());
        }
    }

    @Test
    void shouldRefuseByNameWithoutAVersion() throws Exception
    {
        final CpuBackend backend = backend(TinyModels.generation(0), null);
        try (SignalboxEngine engine = SignalboxEngine.launch(config(backend)))
        {
            assertTrue(assertThrows(IllegalArgumentException.class, () -> engine.newWeights(WeightSwap.ABORT, version(1)))
                .getMessage().startsWith("the backend cpu cannot replace its weights while it runs; "));
            assertTrue(assertThrows(ConfigException.class, () -> backend.prepareWeights("x", TinyModels.generation(1)))
                .getMessage().endsWith("; give it weightVersion."));
            assertArrayEquals(alone(0), answer(engine));
        }
    }

    /** A switch to missing weights loses the rank until a switch to known weights. */
    @Test
    void shouldFailStepsWithWeightsThatAreMissingByName() throws Exception
    {
        final RankFaults faults = new RankFaults();
        final CpuBackend backend = backend(0);
        try (SignalboxEngine engine = SignalboxEngine.launch(config(new Forgetful(backend)).listener(faults::readGroup)
            .rankResets(0)))
        {
            engine.newWeights(WeightSwap.CONTINUE, "policy-1");
            final CompletionHandle waiting =
                engine.submit(CompletionRequest.prompt(PROMPT).maxNewTokens(TOKENS).temperature(0));
            faults.await(2);
            assertEquals("the backend cpu has to compute with the weights 'policy-1' of generation 1, and has '" +
                version(0) + "'", faults.first());
            engine.newWeights(WeightSwap.CONTINUE, backend.prepareWeights("policy-1", TinyModels.generation(1)));
            engine.resetRank(0);
            assertArrayEquals(alone(1), waiting.await(LONG).tokens());
        }
    }

    @Test
    void shouldRefuseAFileThatChangedAfterItWasOpenedAndAShardThatIsMissing() throws Exception
    {
        final DecoderPlan plan = CheckpointRoundTrip.write(directory, 5, 3);
        final Checkpoint checkpoint = Checkpoint.open(directory);
        final CpuBackend backend = backend(GeneratedModel.weights(plan, 4), "first");
        try (SignalboxEngine engine = SignalboxEngine.launch(config(backend)))
        {
            final int[] before = answer(engine);
            final Path shard = Files.list(directory).filter(file -> file.toString().endsWith(".safetensors")).sorted()
                .findFirst().orElseThrow();
            try (FileChannel file = FileChannel.open(shard, StandardOpenOption.WRITE))
            {
                file.truncate(file.size() - 8);
            }
            final String changed = assertThrows(ConfigException.class,
                () -> backend.prepareWeights("policy-1", checkpoint.weights())).getMessage();
            assertTrue(changed.contains(shard + " has ") && changed.lines().count() == 1, changed);
            Files.delete(shard);
            assertTrue(assertThrows(ConfigException.class, () -> Checkpoint.open(directory)).getMessage()
                .contains(shard.getFileName().toString()));
            assertArrayEquals(before, answer(engine));
            CheckpointRoundTrip.write(directory, 5, 3);
            engine.newWeights(WeightSwap.CONTINUE, backend.prepareWeights("policy-1", Checkpoint.open(directory).weights()));
            assertEquals(TOKENS, answer(engine).length);
        }
    }

    /** A model of 200 GB; the test does not generate its weights. */
    @Test
    void shouldRefuseASecondSetThatTheHeapDoesNotHold()
    {
        final DecoderPlan large = DecoderPlan.of(ModelFamily.OLMOE, WeightType.BF16, 64, 8192, 50_000,
            AttentionPlan.of(64, 64, 128, 10_000.0).withQkNorm(QkNorm.FULL_WIDTH), ExpertsPlan.softmax(8, 2, 1024, false))
            .withMoeLayers(List.of(63), 1 << 16);
        final String refused = assertThrows(ConfigException.class,
            () -> NewModel.load(GeneratedModel.weights(large, 1), Precision.BF16)).getMessage();
        assertTrue(refused.matches("the new weights need [0-9.]+ GiB of the heap next to the current ones, and [0-9.]+ " +
            ".iB are free; give a larger heap \\(-Xmx\\), or fewer KV blocks\\."), refused);
    }

    @Test
    void shouldKeepNoFormerWeightsAfterTheirLastStep() throws Exception
    {
        ForwardModel first = ForwardModel.of(TinyModels.generation(0));
        final CpuBackend backend =
            new CpuBackend(first, new CpuBackendConfig().threads(2).weightVersion(version(0)));
        final WeakReference<ForwardModel> former = new WeakReference<>(first);
        first = null;
        try (SignalboxEngine engine = SignalboxEngine.launch(config(backend)))
        {
            // Both ranks compute with the first weights, and then no further step.
            engine.submit(CompletionRequest.prompt(PROMPT).maxNewTokens(TOKENS).rankHint(0)).await(LONG);
            engine.submit(CompletionRequest.prompt(PROMPT).maxNewTokens(TOKENS).rankHint(1)).await(LONG);
            engine.newWeights(WeightSwap.CONTINUE, backend.prepareWeights("policy-1", TinyModels.generation(1)));
            while (former.get() != null && !Thread.currentThread().isInterrupted())
            {
                System.gc();
            }
            assertNull(former.get());
        }
    }

    private EngineConfig journaled(final Backend backend)
    {
        return config(backend).runJournal(
            new DirectoryJournal(directory.resolve("run"), JournalConfig.of(Durability.PROCESS)));
    }

    /** A run with two changes, which ends with the weights of generation 2. */
    private void record() throws Exception
    {
        final CpuBackend backend = backend(0);
        try (SignalboxEngine engine = SignalboxEngine.launch(journaled(backend)))
        {
            answer(engine);
            for (int generation = 1; generation <= 2; generation++)
            {
                engine.newWeights(WeightSwap.REQUEUE,
                    backend.prepareWeights("policy-" + generation, TinyModels.generation(generation)));
                answer(engine);
            }
        }
    }

    @Test
    void shouldContinueARunWithItsNewestWeightsOnly() throws Exception
    {
        record();
        assertEquals("the run continues with the weights of generation 2, and the backend cpu does not have the weights '" +
            version(2) + "'; it has '" + version(1) + "'; prepare the weights before you announce them, or start the " +
            "backend with them.",
            assertThrows(ConfigException.class, () -> SignalboxEngine.launch(journaled(backend(1)))).getMessage());
        try (SignalboxEngine engine = SignalboxEngine.launch(journaled(backend(2))))
        {
            assertEquals(2, engine.weightGeneration());
            assertArrayEquals(alone(2), answer(engine));
        }
        final CpuBackend prepared = backend(0);
        prepared.prepareWeights("policy-2", TinyModels.generation(2));
        try (SignalboxEngine engine = SignalboxEngine.launch(journaled(prepared)))
        {
            assertArrayEquals(alone(2), answer(engine));
            engine.newWeights(WeightSwap.CONTINUE, prepared.prepareWeights("policy-3", TinyModels.generation(3)));
            assertArrayEquals(alone(3), answer(engine));
            assertEquals(3, engine.weightGeneration());
        }
    }

    @Test
    void shouldRefuseNewWeightsAfterTheClose() throws IOException
    {
        final CpuBackend backend = backend(0);
        backend.sizes(new RankSizes(65, 16, 64, 4, 1, 0));
        backend.start(1, null, null);
        backend.close();
        assertTrue(assertThrows(ConfigException.class, () -> backend.prepareWeights("policy-1", TinyModels.generation(1)))
            .getMessage().startsWith("the backend cpu was closed before the new weights were ready"));
    }
}
