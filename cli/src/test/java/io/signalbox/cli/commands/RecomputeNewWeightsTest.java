// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cpu.CpuBackend;
import io.signalbox.cpu.CpuBackendConfig;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.engine.WeightSwap;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.model.Checkpoint;
import io.signalbox.model.ModelDigest;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code replay --recompute} of a run whose weights were replaced by those of other checkpoints. */
@Tag("threads")
class RecomputeNewWeightsTest
{
    private static final Duration LONG = Duration.ofSeconds(120);

    @TempDir
    private Path directory;
    private Path first;
    private Path second;

    @BeforeEach
    void record() throws Exception
    {
        first = CheckpointFixture.unpack(directory.resolve("first"));
        second = changed("second", 1);
        final ModelWeights weights = Checkpoint.open(first).weights();
        final CpuBackend backend =
            new CpuBackend(ForwardModel.of(weights), new CpuBackendConfig().threads(1).weightVersion("base"));
        try (SignalboxEngine engine = SignalboxEngine.launch(new EngineConfig().backend(backend)
            .vocabularySize(weights.plan().vocabulary())
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(65).capture(weights.plan().shape()).build())
            .runJournal(new DirectoryJournal(directory.resolve("journal"), JournalConfig.of(Durability.PROCESS)))))
        {
            engine.submit(CompletionRequest.prompt(new int[] {3, 5, 7}).maxNewTokens(6)).await(LONG);
            engine.newWeights(WeightSwap.CONTINUE, backend.prepareWeights("step-200", Checkpoint.open(second).weights()));
            engine.submit(CompletionRequest.prompt(new int[] {3, 5, 7}).maxNewTokens(6)).await(LONG);
        }
    }

    /** The checkpoint with other bits in its last tensors. */
    private Path changed(final String name, final int mask) throws IOException
    {
        final Path model = CheckpointFixture.unpack(directory.resolve(name));
        final Path file = model.resolve("model.safetensors");
        final byte[] bytes = Files.readAllBytes(file);
        for (int at = bytes.length / 2 & ~1; at < bytes.length; at += Short.BYTES)
        {
            bytes[at] ^= (byte)(mask << 5);
        }
        Files.write(file, bytes);
        return model;
    }

    private CommandRun recompute(final String... options)
    {
        final List<String> arguments = new ArrayList<>(
            List.of("replay", directory.resolve("journal").toString(), "--recompute", "--model", first.toString()));
        arguments.addAll(Arrays.asList(options));
        return CommandRun.of(arguments);
    }

    @Test
    void shouldComputeEachGenerationWithItsCheckpoint()
    {
        final CommandRun again = recompute("--new-model", second.toString());
        assertEquals(ExitCode.OK, again.exitCode(), again.err() + again.out());
        assertTrue(again.out().contains(
            "\nnewModel1         as recorded: " + ModelDigest.of(Checkpoint.open(second).weights()) + "\n"), again.out());
    }

    @Test
    void shouldSayThatAGenerationHadOtherWeights() throws IOException
    {
        final CommandRun again = recompute("--new-model", changed("third", 2).toString(), "--json");
        assertEquals(ExitCode.CHECK_FAILED, again.exitCode(), again.err() + again.out());
        final Map<String, String> found = JsonText.leaves(again.out());
        assertEquals("false", found.get("recomputation.newModel1.same"));
        assertEquals("false", found.get("recomputation.equal"));
    }

    @Test
    void shouldNameTheGenerationsWhoseWeightsAreMissing()
    {
        final CommandRun refused = recompute();
        assertEquals(ExitCode.BAD_INPUT, refused.exitCode(), refused.out());
        assertTrue(refused.err().contains("the run replaced its weights (generation 1 'step-200@sha256:" +
            ModelDigest.of(Checkpoint.open(second).weights()) + "'), and 0 of 1 new models are given; give the checkpoint " +
            "of each generation with --new-model, in this order."), refused.err());
    }

    @Test
    void shouldRefuseDirectoriesAndSeedsTogether()
    {
        final CommandRun refused = recompute("--new-model", second.toString(), "--new-model-seed", "3");
        assertTrue(refused.err().contains("--new-model and --new-model-seed exclude each other; give one of them."),
            refused.err());
    }
}
