// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Reads the checkpoints that transformers wrote. */
class CheckpointTest
{
    @ParameterizedTest
    @ValueSource(strings = {"deepseekv3-wide-f32", "gptoss-wide-f32", "mixtral-narrow-f32", "mixtral-wide-bf16",
        "mixtral-wide-f32",
        "olmoe-narrow-bf16", "olmoe-narrow-f32", "olmoe-wide-bf16", "olmoe-wide-f32", "qwen3moe-narrow-f32",
        "qwen3moe-wide-bf16", "qwen3moe-wide-f32"})
    void shouldReadEveryTensorOfAVariant(final String name) throws Exception
    {
        final Checkpoint checkpoint = Checkpoint.open(SharedModels.variant(name));
        final DecoderPlan plan = checkpoint.plan();

        assertEquals(plan.layers(), checkpoint.weights().layers().size());
        final long headers = checkpoint.bytes() - plan.parameters() * plan.type().bytes();
        assertTrue(headers > 0 && headers < 64 * 1024, headers + " bytes are no weights");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mixtral-narrow-f32", "mixtral-wide-bf16", "mixtral-wide-f32", "olmoe-narrow-bf16",
        "olmoe-narrow-f32", "olmoe-wide-bf16", "olmoe-wide-f32", "qwen3moe-narrow-f32", "qwen3moe-wide-bf16",
        "qwen3moe-wide-f32"})
    void shouldReadBothSpellingsOfTheConfigurationAlike(final String name)
    {
        final Path directory = SharedModels.variant(name);
        assertEquals(
            DecoderPlan.of(directory.resolve("config.json")), DecoderPlan.of(directory.resolve("config.hub-style.json")));
    }

    @Property(tries = 50)
    void shouldReadEveryFormOfAModelAlike(@ForAll final long seed)
    {
        CheckpointRoundTrip.check(seed);
    }

    @Test
    void shouldReadTheSwitchesOfQwen3Moe()
    {
        final DecoderPlan plan = Checkpoint.open(SharedModels.variant("qwen3moe-narrow-f32")).plan();

        assertEquals(List.of(0, 2), plan.moeLayers());
        assertEquals(72, plan.denseWidth());
        assertEquals(AttentionPlan.of(4, 2, 24, 10_000.0).withQkNorm(QkNorm.PER_HEAD), plan.attention());
        assertEquals(ExpertsPlan.softmax(16, 2, 12, false), plan.experts());
        assertEquals(0.01, plan.normEpsilon());
        assertTrue(plan.tiedEmbeddings());
    }

    @Test
    void shouldReadTheSwitchesOfOlmoe()
    {
        final DecoderPlan plan = Checkpoint.open(SharedModels.variant("olmoe-wide-bf16")).plan();

        assertEquals(AttentionPlan.of(6, 3, 16, 5000.0).withQkNorm(QkNorm.FULL_WIDTH).withClip(1.25), plan.attention());
        assertEquals(ExpertsPlan.softmax(8, 1, 16, false), plan.experts());
        assertEquals(WeightType.BF16, plan.type());
    }

    @Test
    void shouldReadTheSwitchesOfDeepSeek()
    {
        final DecoderPlan plan = Checkpoint.open(SharedModels.variant("deepseekv3-wide-f32")).plan();

        assertEquals(List.of(1, 2), plan.moeLayers());
        assertEquals(new LatentAttention(24, 16, 16, 8, 12, true), plan.attention().latent());
        assertEquals(
            ExpertsPlan.softmax(16, 4, 12, true).withScoring(ExpertScoring.SIGMOID_GROUPS).withRoundedWeights(false)
                .withGroups(4, 2).withScale(2.5).withSharedExperts(1), plan.experts());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "\"n_group\": 4,|\"n_group\": 4, \"scoring_func\": \"softmax\",|'scoring_func' with softmax",
        "\"n_group\": 4,|\"n_group\": 4, \"topk_method\": \"greedy\",|'topk_method' with greedy",
        "\"n_group\": 4,|\"n_group\": 4, \"moe_layer_freq\": 2,|'moe_layer_freq' with 2",
        "\"n_group\": 4,||has no 'n_group'",
        "\"n_routed_experts\": 16|\"n_routed_experts\": 18|2 of 4 groups of 18 experts are impossible"})
    void shouldRefuseADeepSeekWithAnotherRouter(
        final String from, final String to, final String part, @TempDir final Path scratch) throws Exception
    {
        final String config = Files.readString(SharedModels.variant("deepseekv3-wide-f32").resolve("config.json"));
        assertTrue(config.contains(from), config);
        final Path changed =
            Files.writeString(scratch.resolve("config.json"), config.replace(from, to == null ? "" : to));

        final String message = assertThrows(ModelException.class, () -> DecoderPlan.of(changed)).getMessage();
        assertTrue(message.contains(part), message);
    }

    @Test
    void shouldShareTheEmbeddingWithATiedHead()
    {
        final ModelWeights weights = Checkpoint.open(SharedModels.variant("olmoe-narrow-f32")).weights();

        assertSame(weights.embedding(), weights.head());
    }

    @Test
    void shouldRoundToBf16AsTheCheckpointWasRounded()
    {
        final ModelWeights wide = Checkpoint.open(SharedModels.variant("mixtral-wide-f32")).weights();
        final ModelWeights narrow = Checkpoint.open(SharedModels.variant("mixtral-wide-bf16")).weights();

        final WeightMatrix from = wide.layers().get(1).moe().experts().get(7).down();
        final WeightMatrix to = narrow.layers().get(1).moe().experts().get(7).down();
        final float[] weights = new float[from.count()];
        to.copyTo(weights);
        for (int i = 0; i < weights.length; i++)
        {
            assertEquals(WeightType.bf16(WeightType.toBf16(from.at(i))), weights[i]);
        }
        assertNull(narrow.layers().get(1).dense());
    }

    @Test
    void shouldReadTheSwitchesOfGptOss()
    {
        final DecoderPlan plan = Checkpoint.open(SharedModels.variant("hub/gptoss-wide-bf16")).plan();

        assertEquals(AttentionPlan.of(8, 2, 16, 150_000.0)
            .withYarn(new YarnScaling(32.0, 4096, 32.0, 1.0, false, 0.1 * StrictMath.log(32.0) + 1.0, 1.0))
            .withWindow(new AttentionWindow(8, List.of(0, 2))).withBiases(true).withSinks(true), plan.attention());
        assertEquals(ExpertsPlan.softmax(8, 2, 32, false).withScoring(ExpertScoring.TOP_K_THEN_SOFTMAX).withLimit(7.0),
            plan.experts());
        assertEquals(131_072, plan.maxPositions());
    }

    /** A window that is larger than the context hides nothing, and RoPE of the type default scales nothing. */
    @Test
    void shouldReadAGptOssWithoutWindowsAndScaling()
    {
        final AttentionPlan attention = Checkpoint.open(SharedModels.variant("gptoss-wide-f32")).plan().attention();

        assertNull(attention.window());
        assertNull(attention.yarn());
        assertTrue(attention.sinks() && attention.biases());
    }

    /** The published scale of its scores: 0.1 ln 40 + 1, squared. */
    @Test
    void shouldReadTheScalingOfDeepSeek()
    {
        final DecoderPlan plan = DecoderPlan.of(SharedModels.variant("hub/deepseekv3-hub-bf16").resolve("config.json"));

        assertEquals(new YarnScaling(40.0, 4096, 32.0, 1.0, true, 1.0, 1.8738542070926265), plan.attention().yarn());
        assertEquals((float)(1.8738542070926265 / Math.sqrt(24)), plan.attention().scoreScale());
        assertEquals(163_840, plan.maxPositions());
    }
}
