// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ModelConfigFileTest
{
    private static final String OLMOE = """
        {"num_hidden_layers": 16, "hidden_size": 2048, "num_attention_heads": 16, "num_key_value_heads": 16,
         "num_experts": 64, "num_experts_per_tok": 8, "intermediate_size": 1024, "vocab_size": 50304,
         "rope_scaling": {"factor": 4}, "architectures": ["OlmoeForCausalLM"]}
        """;

    @TempDir
    private Path directory;

    private ServedModelShape read(final String json) throws IOException
    {
        Files.writeString(directory.resolve("config.json"), json);
        return ModelConfigFile.read(directory);
    }

    @Test
    void shouldReadTheShapeThatTheListHas() throws IOException
    {
        final ServedModelShape read = read(OLMOE);
        final ServedModelShape known = ServedModelShape.of("olmoe-1b-7b");

        assertEquals(known.denseParameters(), read.denseParameters());
        assertEquals(known.expertParameters(), read.expertParameters());
        assertEquals(known.experts(), read.experts());
        assertEquals(known.headDim(), read.headDim());
    }

    @Test
    void shouldReadWindowsAndDenseModels() throws IOException
    {
        final ServedModelShape model = read("""
            {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32,
             "intermediate_size": 128, "vocab_size": 100, "sliding_window": 128,
             "layer_types": ["sliding_attention", "full_attention"]}
            """);

        assertEquals(1, model.attention().windowedLayers());
        assertEquals(128, model.windowTokens());
        assertEquals(0, model.moeLayers());
        final Deployment deployment =
            new Deployment(model, Gpu.H100, Parallelism.parse("tp1"), "bf16", SoftwareRun.of(""));
        final StepLoad load = new StepLoad();
        load.addDecode(1000, 128);
        assertTrue(ServedStepCost.of(deployment, CostTables.standard()).nanos(load, null) > 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{", "{\"num_hidden_layers\": 0}", "{\"num_hidden_layers\": 99999999999999999999}",
        "{\"num_hidden_layers\": 2, \"hidden_size\": 64}"})
    void shouldRefuseWhatIsNoModel(final String json)
    {
        final String message = assertThrows(ConfigException.class, () -> read(json)).getMessage();
        assertTrue(message.startsWith(directory.toString()) && message.endsWith("."), message);
    }
}
