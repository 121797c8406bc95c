// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code run} and {@code replay --recompute} with checkpoints in float16 and FP8. */
class FormatRunTest
{
    @TempDir
    private Path directory;

    /** Weights take the bytes that they have when they are loaded: 4 in float32, 2 in bf16. */
    @ParameterizedTest
    @CsvSource({"mixtral-hub-f16, F32, (0.3 MiB weights", "mixtral-hub-f16, BF16, (0.3 MiB weights",
        "qwen3moe-hub-fp8, F32, (1.4 MiB weights", "qwen3moe-hub-fp8, BF16, (0.8 MiB weights"})
    void shouldComputeARunAgainInEveryFormat(final String fixture, final String precision, final String weights)
        throws IOException
    {
        final String model = CheckpointFixture.unpack(fixture, directory.resolve("model")).toString();
        final String journal = directory.resolve("journal").toString();
        final CommandRun run = CommandRun.of("run", "--model", model, "--journal", journal, "--max-new-tokens", "4",
            "--backend-options", "precision=" + precision);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertTrue(run.err().contains(weights), run.err());

        final CommandRun again = CommandRun.of("replay", journal, "--recompute", "--model", model);
        assertEquals(ExitCode.OK, again.exitCode(), again.err());
        assertTrue(again.out().startsWith("recomputed        yes: "), again.out());
        assertTrue(again.out().contains("\nmodel             as recorded: "), again.out());
    }

    @Test
    void shouldRefuseAPackedWeightThatIsNoNumberBeforeTheRun() throws IOException
    {
        final Path model = CheckpointFixture.unpack("qwen3moe-hub-fp8", directory.resolve("model"));
        final String tensor = "model.layers.1.mlp.experts.3.up_proj.weight";
        final Path file = model.resolve("model-00002-of-00002.safetensors");
        final byte[] bytes = Files.readAllBytes(file);
        final int data = Long.BYTES + (int)ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong();
        final Matcher place = Pattern.compile("\"" + tensor + "\":\\{[^}]*\"data_offsets\":\\[(\\d+),")
            .matcher(new String(bytes, Long.BYTES, data - Long.BYTES, StandardCharsets.UTF_8));
        assertTrue(place.find());
        bytes[data + Integer.parseInt(place.group(1)) + 2] = 0x7f;
        Files.write(file, bytes);
        final Path journal = directory.resolve("journal");
        final CommandRun run = CommandRun.of("run", "--model", model.toString(), "--journal", journal.toString());

        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertTrue(run.err().contains("signalbox run: the tensor " + tensor + " has NaN with the scale "), run.err());
        assertTrue(run.err().contains(" at [0, 2], and weights must be finite; copy or download the checkpoint again."),
            run.err());
        assertTrue(Files.notExists(journal));
    }
}
