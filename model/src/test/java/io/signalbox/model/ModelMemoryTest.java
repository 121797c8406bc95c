// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import io.signalbox.model.forward.ForwardModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ModelMemoryTest
{
    private static final long GIB = 1L << 30;

    /** The shape of OLMoE-1B-7B. */
    private static DecoderPlan large()
    {
        return DecoderPlan.of(ModelFamily.OLMOE, WeightType.BF16, 16, 2048, 50_304, AttentionPlan.of(16, 16, 128, 10_000.0)
            .withQkNorm(QkNorm.FULL_WIDTH), ExpertsPlan.softmax(64, 8, 1024, false));
    }

    @Test
    void shouldCountTheWeightsOfAKnownModel()
    {
        assertEquals(6_919_161_856L, large().parameters());
    }

    @Test
    void shouldCountAsManyWeightsAsAModelCopies()
    {
        for (final boolean tied : new boolean[] {false, true})
        {
            final DecoderPlan plan = SmallPlans.of(WeightType.BF16, tied);
            final AtomicLong bytes = new AtomicLong();
            final ModelWeights weights = GeneratedModel.weights(plan, 1, bytes::addAndGet);
            ForwardModel.of(weights);
            final long vectors = 2 * (2 * 8 + 2 * 4) + 8;

            assertEquals(plan.parameters() * 2, bytes.get() + 2 * vectors);
        }
    }

    @Test
    void shouldCountAsManyWeightsOfGptOssAsItsCheckpointHas(@TempDir final Path directory)
    {
        final DecoderPlan plan = SmallPlans.gptOss(WeightType.BF16, false);
        final long stored = new WrittenCheckpoint(directory, plan, 1).tensors.values().stream()
            .mapToLong(tensor -> tensor.bytes().length).sum();

        assertEquals(stored, plan.parameters() * 2);
    }

    @Test
    void shouldRefuseMoreTokensThanALongCountsBytesOf()
    {
        assertThrows(ModelException.class, () -> ModelMemory.of(
            large(), Integer.MAX_VALUE, Integer.MAX_VALUE, 16, 512, 256));
    }

    /** Of a block of one token, the headers are more than the values: both count. */
    @Test
    void shouldCountTheHeadersOfSmallBlocks()
    {
        final DecoderPlan plan = GeneratedModel.tiny();
        assertEquals(4 * 2 * (8 + 16 + 32 * 4), ModelMemory.kvBlockBytes(plan, 1));
        assertEquals(4 * 2 * (8 + 16 + 16 * 32 * 4), ModelMemory.kvBlockBytes(plan, 16));
    }

    /** However narrow they are: the objects of so many would fill the heap before anything is counted. */
    @Test
    void shouldRefuseMoreExpertsThanAnyModelHas()
    {
        final DecoderPlan tiny = GeneratedModel.tiny();
        final String message = assertThrows(ModelException.class, () -> DecoderPlan.of(tiny.family(), tiny.type(), 512, 2,
            16, tiny.attention(), ExpertsPlan.softmax(1024, 2, 1, true))).getMessage();

        assertEquals("a model with experts in all layers 524288 is impossible; give a value between 1 and 262144.", message);
    }

    /** Cosines and sines of every position that fits, however few tokens a step has. */
    @Test
    void shouldCountTheTablesOfPositions()
    {
        final DecoderPlan plan = GeneratedModel.tiny();
        final long few = ModelMemory.of(plan, 1, 64, 16, 1, 1).stepBytes();

        assertEquals((4096 - 1024) * 8 * 10L, ModelMemory.of(plan, 1, 256, 16, 1, 1).stepBytes() - few);
        assertEquals(ModelMemory.of(plan, 1, 256, 16, 1, 1).stepBytes(), ModelMemory.of(plan, 1, 9999, 16, 1, 1).stepBytes(),
            "the model has 4,096 positions");
    }

    @Test
    void shouldCountTheBuffersOfTheLargestStepOfEachRank()
    {
        final DecoderPlan plan = GeneratedModel.tiny();
        final ModelMemory small = ModelMemory.of(plan, 1, 100, 16, 64, 8);

        assertTrue(small.stepBytes() > 64 * 4 * (3 * plan.hidden() + 4 * (2 * 24 + plan.hidden())) +
            8 * 4 * plan.vocabulary(), small.toString());
        assertEquals(3 * small.stepBytes(), ModelMemory.of(plan, 3, 100, 16, 64, 8).stepBytes());
        assertEquals(
            ModelMemory.of(plan, 1, 4, 16, 64, 8).stepBytes(), ModelMemory.of(plan, 1, 4, 16, 1 << 20, 8).stepBytes(),
            "a step has no more tokens than KV blocks");
    }
}
