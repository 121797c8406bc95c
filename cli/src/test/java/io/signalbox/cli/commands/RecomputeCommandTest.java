// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code replay --recompute}: the journal of a run of a model, computed again. */
class RecomputeCommandTest
{
    @TempDir
    private Path directory;
    private Path journal;

    @BeforeEach
    void nameJournal()
    {
        journal = directory.resolve("journal");
    }

    private CommandRun run(final String... options)
    {
        final List<String> arguments = new ArrayList<>(List.of("run", "--journal", journal.toString()));
        arguments.addAll(Arrays.asList(options));
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return run;
    }

    private CommandRun recompute(final String... options)
    {
        final List<String> arguments = new ArrayList<>(List.of("replay", journal.toString(), "--recompute"));
        arguments.addAll(Arrays.asList(options));
        return CommandRun.of(arguments);
    }

    @Test
    void shouldConfirmARunOfTheBuiltInModelWithoutFurtherOptions()
    {
        run("--ranks", "2", "--steps-in-flight", "2", "--temperature", "0.8", "--model-seed", "5");
        final CommandRun again = recompute("--backend-options", "threads=2");

        assertEquals(ExitCode.OK, again.exitCode(), again.err());
        assertTrue(again.out().startsWith("recomputed        yes: "), again.out());
        assertTrue(again.out().contains(" 128 sampled tokens, 0 log-probabilities\n"), again.out());
        assertTrue(again.out().matches("(?s).*\nmodel             as recorded: [0-9a-f]{64}\n.*"), again.out());
        assertTrue(again.out().contains("\nkernels           as recorded: sums in 32 lanes, order 1, F32, "), again.out());
        assertTrue(again.out().contains("\ndevice            as recorded: processor, "), again.out());
    }

    @Test
    void shouldNameTheFirstResultOfAnotherModelThatDiffers()
    {
        run();
        final CommandRun again = recompute("--model-seed", "2", "--verify", "--json");
        final Map<String, String> found = JsonText.leaves(again.out());

        assertEquals(ExitCode.CHECK_FAILED, again.exitCode(), again.err());
        assertEquals("true", found.get("verified"));
        assertEquals("false", found.get("recomputation.equal"));
        assertEquals("false", found.get("recomputation.model.same"));
        assertEquals("true", found.get("recomputation.kernels.same"));
        assertEquals("1", found.get("recomputation.difference.step"));
        assertEquals("0", found.get("recomputation.difference.position"));
        assertEquals("1", found.get("recomputation.difference.layer"));
        assertEquals("experts", found.get("recomputation.difference.part"));
        assertTrue(recompute("--model-seed", "2").out().contains(
            ", step 1 of rank 0, request 1, position 0, layer 1: experts\n  recorded        "));
    }

    @Test
    void shouldFindOneWeightThatWasChanged() throws IOException
    {
        final Path model = CheckpointFixture.unpack(directory.resolve("model"));
        run("--model", model.toString());
        assertEquals(ExitCode.OK, recompute("--model", model.toString()).exitCode());

        final Path weights = model.resolve("model.safetensors");
        final byte[] bytes = Files.readAllBytes(weights);
        // The last tensor is the norm before the head: no expert depends on it, but logits do.
        bytes[bytes.length - 1] ^= 1;
        Files.write(weights, bytes);
        final CommandRun again = recompute("--model", model.toString());

        assertTrue(again.out().contains("\nmodel             another one: "), again.out());
    }

    @Test
    void shouldRefuseAModelOfAnotherShape() throws IOException
    {
        run();
        assertRefused("the run computed another model (qwen3_moe, 364224 weights as f32) than the one that is given " +
            "(olmoe, 188928 weights as bf16); give the model of the run.",
            recompute("--model", CheckpointFixture.unpack(directory.resolve("model")).toString()));
    }

    @Test
    void shouldAskForTheModelThatTheJournalDoesNotHold() throws IOException
    {
        final Path model = CheckpointFixture.unpack(directory.resolve("model"));
        run("--model", model.toString());
        assertRefused("the run computed a checkpoint (olmoe, 188928 weights as bf16); give its directory with --model.",
            recompute());
    }

    @Test
    void shouldRefuseTheJournalOfASimulation()
    {
        CommandRun.of("simulate", "--conversations", "2", "--journal", journal.toString());
        assertRefused(journal + " is the journal of a simulation, which computed no model, so nothing can be computed " +
            "again; give the journal of 'signalbox run'.", recompute());
    }

    @Test
    void shouldRefuseOptionsOfARecomputationThatIsNotAskedFor()
    {
        run();
        assertRefused("options of a model or backend are for --recompute, which is not given; add it.",
            CommandRun.of("replay", journal.toString(), "--model-seed", "2"));
    }

    @Test
    void shouldRefuseAKnobThatIsGivenTwice()
    {
        run();
        assertRefused("--backend-options gives threads twice; give each knob once.",
            recompute("--backend-options", "threads=1,threads=2"));
        assertRefused("--backend-options gives threads twice; give each knob once.",
            CommandRun.of("run", "--no-journal", "--backend-options", "threads=1,threads=2"));
    }

    private static void assertRefused(final String sentence, final CommandRun run)
    {
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err() + run.out());
        assertTrue(run.err().contains(sentence), run.err());
        assertEquals("", run.out());
    }
}
