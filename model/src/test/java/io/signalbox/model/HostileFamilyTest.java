// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Faults of RoPE scaling, windows, sinks and clamped experts: each ends in one sentence. */
class HostileFamilyTest
{
    private static final String UNCHANGED = "; give the unchanged config.json of the checkpoint.";

    @TempDir
    private Path directory;
    private Path config;
    private DecoderPlan plan;
    private WrittenCheckpoint written;

    @BeforeEach
    void writeGptOss() throws Exception
    {
        config = directory.resolve("config.json");
        plan = SmallPlans.gptOss(WeightType.F32, false);
        written = new WrittenCheckpoint(directory, plan, 7);
        written.writeConfig(plan);
        written.writeSingle();
    }

    private String refusal()
    {
        final String message = assertThrows(ModelException.class, () -> Checkpoint.open(directory)).getMessage();
        assertTrue(message.matches("[^;]+; [^;]+\\."), message);
        return message;
    }

    private void change(final String from, final String to) throws Exception
    {
        final String text = WrittenCheckpoint.config(plan);
        assertTrue(text.contains(from), text);
        Files.writeString(config, text.replace(from, to));
    }

    @Test
    void shouldReadWhatWasWritten()
    {
        assertTrue(SmallPlans.same(GeneratedModel.weights(plan, 7), Checkpoint.open(directory).weights()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "\"factor\": 4.0|\"factor\": 0|with 'factor' 0, which is not a finite number of at least 1",
        "\"factor\": 4.0|\"factor\": -4.0|with 'factor' -4.0, which is not a finite number of at least 1",
        "\"factor\": 4.0|\"factor\": 0.99|with 'factor' 0.99, which is not a finite number of at least 1",
        "\"factor\": 4.0|\"factor\": 1e999|with 'factor' Infinity, which is not a finite number of at least 1",
        "\"factor\": 4.0|\"factor\": \"4\"|with 'factor' 4, which is not a finite number of at least 1",
        "\"factor\": 4.0|\"factor\": null|without 'factor'",
        "embeddings\": 32, |embeddings\": 0, |with 'original_max_position_embeddings' 0, which is not a whole number " +
            "between 1 and 2147483647",
        "embeddings\": 32, |embeddings\": 32.5, |with 'original_max_position_embeddings' 32.5, which is not a whole " +
            "number between 1 and 2147483647",
        "embeddings\": 32, |embeddings\": 1e10, |with 'original_max_position_embeddings' 1.0E10, which is not a whole " +
            "number between 1 and 2147483647",
        "\"original_max_position_embeddings\": 32, ||without 'original_max_position_embeddings'",
        "\"beta_fast\": 32.0|\"beta_fast\": 0|with 'beta_fast' 0, which is not a number above 0",
        "\"beta_slow\": 1.0|\"beta_slow\": -1|with 'beta_slow' -1, which is not a number above 0",
        "\"beta_slow\": 1.0|\"mscale\": -1|with 'mscale' -1, which is not a number of at least 0",
        "\"beta_slow\": 1.0|\"attention_factor\": 0|with 'attention_factor' 0, which is not a number above 0",
        "\"truncate\": false|\"truncate\": 0|with 'truncate' 0, which is neither true nor false"})
    void shouldRefuseAnImpossibleYarn(final String from, final String to, final String fault) throws Exception
    {
        change(from, to == null ? "" : to);
        assertEquals(config + " has 'rope_parameters' " + fault + UNCHANGED, refusal());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "\"beta_slow\": 1.0|\"beta_slow\": 33|YaRN between 32.0 and 33.0 turns is impossible",
        "\"beta_slow\": 1.0|\"attention_factor\": 1e60|YaRN with cosines times 1.0E60 and scores times 1.0 is impossible",
        "\"rope_theta\": 150000.0|\"rope_theta\": 1.0|YaRN with a RoPE base of 1.0 is impossible",
        "\"truncate\"|\"finetuned\"|has 'rope_parameters' with 'finetuned', which RoPE of the type 'yarn' does not have",
        "\"truncate\": false|\"partial_rotary_factor\": 0.5|has 'rope_parameters' with 'partial_rotary_factor' 0.5, which " +
            "is supported only with 1.0; use a checkpoint without it",
        "\"rope_theta\": 150000.0, ||has 'rope_parameters' without a number 'rope_theta'",
        "\"rope_type\": \"yarn\"|\"rope_type\": \"yarn\", \"type\": \"default\"|gives different values as 'rope_type' and " +
            "'type' of 'rope_parameters'",
        "\"rope_type\": \"yarn\", ||has 'rope_parameters' without a 'rope_type'",
        "\"rope_type\": \"yarn\"|\"rope_type\": \"default\"|which RoPE of the type 'default' does not have",
        "\"rope_parameters\": {|\"rope_scaling\": {\"type\": \"default\"}, \"rope_parameters\": {|gives different types " +
            "as 'rope_scaling' and 'rope_parameters'",
        "\"rope_parameters\": {|\"rope_scaling\": {\"type\": \"yarn\", \"factor\": 2}, \"rope_parameters\": {|gives " +
            "different values in 'rope_scaling' and 'rope_parameters'",
        "\"rope_parameters\": {|\"rope_parameters\": 1, \"x\": {|has 'rope_parameters' that is not an object",
        "\"rope_parameters\": {|\"x\": {|has neither 'rope_scaling' nor 'rope_parameters'",
        "\"sliding_attention\", |~~|has no 'layer_types' that is a list with a type for each of its 2 layers",
        "\"layer_types\": [|\"layer_types\": [\"full_attention\", |has no 'layer_types' that is a list with a type for each",
        "\"layer_types\"|\"x\"|has no 'layer_types' that is a list with a type for each of its 2 layers",
        "\"sliding_attention\"|\"chunked_attention\"|has 'layer_types' with 'chunked_attention' for layer 0, and only " +
            "'sliding_attention' and 'full_attention' are supported",
        "\"sliding_attention\"|null|has 'layer_types' with 'null' for layer 0",
        "\"sliding_window\": 5|\"sliding_window\": 0|has 'sliding_window' with 0, which is below 1",
        "\"sliding_window\": 5|\"sliding_window\": -5|has 'sliding_window' with -5, which is below 1",
        "\"sliding_window\": 5|\"sliding_window\": null|has no 'sliding_window'",
        "\"swiglu_limit\": 7.0|\"swiglu_limit\": 0|has 'swiglu_limit' with 0.0, which is not a finite number above 0",
        "\"swiglu_limit\": 7.0|\"swiglu_limit\": -7|has 'swiglu_limit' with -7.0, which is not a finite number above 0",
        "\"swiglu_limit\": 7.0|\"swiglu_limit\": 1e999|has 'swiglu_limit' with Infinity, which is not a finite number",
        "\"swiglu_limit\": 7.0|\"swiglu_limit\": 1e60|experts with a limit of 1.0E60 are impossible",
        "\"swiglu_limit\": 7.0|\"swiglu_limit\": NaN|is not valid JSON",
        "\"experts_per_token\": 2|\"experts_per_token\": 3|gives different values as 'num_experts_per_tok' and",
        "\"head_dim\": 4, ||has no 'head_dim'"})
    void shouldRefuseAnImpossibleGptOss(final String from, final String to, final String fault) throws Exception
    {
        change(from, to == null ? "" : to);
        assertTrue(refusal().contains(fault), refusal());
    }

    @ParameterizedTest
    @ValueSource(strings = {"linear", "dynamic", "llama3", "longrope", "proportional"})
    void shouldNameAScalingThatIsNotSupported(final String type) throws Exception
    {
        change("\"yarn\"", "\"" + type + "\"");
        assertEquals(config + " has 'rope_parameters' of the type '" + type + "', and only 'default' and 'yarn' are " +
            "supported; use a checkpoint with one of these types.", refusal());
    }

    @Test
    void shouldReadBothSpellingsOfAScaling() throws Exception
    {
        final DecoderPlan expected = DecoderPlan.of(config);
        change("\"rope_parameters\": {\"rope_theta\": 150000.0, \"rope_type\"",
            "\"rope_theta\": 150000, \"rope_scaling\": {\"type\"");
        assertEquals(expected, DecoderPlan.of(config));
        change("\"rope_parameters\": {", "\"rope_scaling\": {\"type\": \"yarn\", \"factor\": 4}, \"rope_parameters\": {");
        assertEquals(expected, DecoderPlan.of(config));
        change(", \"beta_fast\": 32.0, \"beta_slow\": 1.0, \"truncate\": false", "");
        assertEquals(new YarnScaling(4.0, 32, 32.0, 1.0, true, expected.attention().yarn().tableFactor(), 1.0),
            DecoderPlan.of(config).attention().yarn());
        change(", \"beta_fast\": 32.0, \"beta_slow\": 1.0, \"truncate\": false", ", \"mscale\": 2, \"mscale_all_dim\": 0.5");
        assertEquals((0.2 * StrictMath.log(4.0) + 1.0) / (0.05 * StrictMath.log(4.0) + 1.0),
            DecoderPlan.of(config).attention().yarn().tableFactor());
        assertEquals(1.0, DecoderPlan.of(config).attention().yarn().scoreFactor());
    }

    @Test
    void shouldTakeAWindowThatHidesNothingAndAttentionWithoutBiases() throws Exception
    {
        change("\"sliding_window\": 5", "\"sliding_window\": 64");
        assertNull(DecoderPlan.of(config).attention().window());
        change("\"attention_bias\": true", "\"attention_bias\": false");
        assertEquals(config.getParent() + " has the tensor 'model.layers.0.self_attn.k_proj.bias', and its config.json " +
            "has no 'attention_bias' that is true; set 'attention_bias' to true in config.json if the model has these " +
            "biases.", refusal());
        written.tensors.keySet().removeIf(name -> name.contains("self_attn") && name.endsWith("bias"));
        written.writeSingle();
        assertNull(Checkpoint.open(directory).weights().layers().get(0).attention().biases());
    }

    @Test
    void shouldNameAMissingTensor() throws Exception
    {
        for (final String name : List.of("self_attn.sinks", "self_attn.q_proj.bias", "mlp.router.bias",
            "mlp.experts.gate_up_proj", "mlp.experts.down_proj_bias"))
        {
            final WrittenCheckpoint.Tensor removed = written.tensors.remove("model.layers.1." + name);
            written.writeSingle();
            assertEquals(directory + " has no tensor 'model.layers.1." + name + "', which its config.json asks for; copy " +
                "config.json and the safetensors files of one checkpoint into the directory.", refusal());
            written.tensors.put("model.layers.1." + name, removed);
        }
    }

    /** Fused experts of other families lie output by output. */
    @Test
    void shouldRefuseExpertsThatLieOutputByOutput() throws Exception
    {
        final String name = "model.layers.0.mlp.experts.gate_up_proj";
        written.tensors.put(name,
            new WrittenCheckpoint.Tensor("F32", new long[] {4, 12, 8}, written.tensors.get(name).bytes()));
        written.writeSingle();
        assertEquals(directory + " has the tensor '" + name + "' as F32 [4, 12, 8], and its config.json asks for " +
            "[4, 8, 12]; copy config.json and the safetensors files of one checkpoint into the directory.", refusal());
    }

    @ParameterizedTest
    @ValueSource(strings = {"self_attn.sinks", "mlp.router.bias", "mlp.experts.gate_up_proj_bias"})
    void shouldRefuseAVectorThatIsNoNumber(final String name) throws Exception
    {
        ByteBuffer.wrap(written.tensors.get("model.layers.1." + name).bytes()).order(ByteOrder.LITTLE_ENDIAN)
            .putFloat(Float.BYTES, Float.POSITIVE_INFINITY);
        written.writeSingle();
        assertEquals("the tensor model.layers.1." + name + " has Infinity at index 1, which is no finite number; copy or " +
            "download the checkpoint again.", refusal());
    }
}
