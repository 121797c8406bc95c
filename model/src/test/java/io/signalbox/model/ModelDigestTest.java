// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Equal models have one digest, in whatever files; a single bit makes another one. */
class ModelDigestTest
{
    @TempDir
    private Path directory;
    private DecoderPlan plan;
    private WrittenCheckpoint written;

    @BeforeEach
    void writeConfiguration() throws Exception
    {
        plan = SmallPlans.of(WeightType.F32, false);
        written = new WrittenCheckpoint(directory, plan, 7);
        written.writeConfig(plan);
    }

    private String digest() throws Exception
    {
        written.writeSingle();
        return ModelDigest.of(Checkpoint.open(directory).weights());
    }

    @Test
    void shouldBeThatOfTheModelAndNotOfItsFiles() throws Exception
    {
        final String single = digest();
        written.fuse(plan);
        assertEquals(single, digest());
        Files.delete(directory.resolve("model.safetensors"));
        written.writeShards(3);

        assertEquals(single, ModelDigest.of(Checkpoint.open(directory).weights()));
        assertTrue(single.matches("[0-9a-f]{64}"), single);
    }

    /** Java 17 writes 2.0E-3 as 0.0020, and 2^-44 with another digit than later versions. */
    @Test
    void shouldHaveOneTextOfAPlanOnEveryJvm()
    {
        final AttentionPlan attention = AttentionPlan.of(2, 1, 4, 2.0E-3).withQkNorm(QkNorm.PER_HEAD).withClip(2.0E23);
        final DecoderPlan odd = plan.withNormEpsilon(1e-6).withAttention(attention);
        assertTrue(ModelDigest.text(odd).contains("normEpsilon=1.0E-6, "), ModelDigest.text(odd));
        assertTrue(ModelDigest.text(odd).contains("ropeTheta=0.002, "), ModelDigest.text(odd));
        assertTrue(ModelDigest.text(odd).contains("clip=2.0E23, "), ModelDigest.text(odd));
        assertEquals(plan.toString(), ModelDigest.text(plan));
    }

    /** Digests in journals stay those of their models, on every JVM. */
    @Test
    void shouldStayThatOfEarlierVersions()
    {
        assertEquals("fbf2c7c5f72f28ad70018db85f94634d368204f7647847ffe6415d1e33683e1f",
            ModelDigest.of(GeneratedModel.weights(GeneratedModel.tiny(), 1)));
        assertEquals("AttentionPlan[heads=2, kvHeads=1, headSize=4, ropeTheta=10000.0, qkNorm=PER_HEAD, clip=0.0, " +
            "latent=null]", plan.attention().toString());
        assertEquals("ExpertsPlan[experts=4, topK=2, width=6, scoring=SOFTMAX_THEN_TOP_K, renormalise=true, " +
            "roundsWeights=true, groups=1, keptGroups=1, scale=1.0, sharedExperts=0]", plan.experts().toString());
    }

    @Test
    void shouldDifferForEachTensorOfGptOssThatDiffersInOneBit() throws Exception
    {
        plan = SmallPlans.gptOss(WeightType.BF16, false);
        written = new WrittenCheckpoint(directory, plan, 7);
        written.writeConfig(plan);
        shouldDifferForEachTensorThatDiffersInOneBit();
    }

    @Test
    void shouldDifferForEachTensorThatDiffersInOneBit() throws Exception
    {
        final Set<String> digests = new HashSet<>(Set.of(digest()));
        for (final String name : written.tensors.keySet())
        {
            final byte[] bytes = written.tensors.get(name).bytes();
            bytes[bytes.length / 2] ^= 1;
            assertTrue(digests.add(digest()), name);
            bytes[bytes.length / 2] ^= 1;
        }
        assertTrue(digests.size() > 20);
    }

    @Test
    void shouldTellGeneratedModelsApart()
    {
        final String first = ModelDigest.of(GeneratedModel.weights(plan, 7));

        assertEquals(first, ModelDigest.of(GeneratedModel.weights(plan, 7)));
        assertNotEquals(first, ModelDigest.of(GeneratedModel.weights(plan, 8)));
        assertNotEquals(first, ModelDigest.of(GeneratedModel.weights(SmallPlans.of(WeightType.BF16, false), 7)));
    }
}
