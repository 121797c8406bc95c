// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.Checkpoint;
import io.signalbox.model.ModelDigest;
import io.signalbox.model.ModelWeights;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** A gpt-oss with experts in MXFP4 and the same model in bfloat16: one digest, and the same bits in either arithmetic. */
class PackedTwinTest
{
    private static final Path HUB =
        Path.of(System.getProperty("signalbox.root")).resolve("../shared/models/hub").normalize();
    private static final int LENGTH = 70;

    private static ModelWeights weights(final String name)
    {
        final Path directory = HUB.resolve(name);
        Assumptions.assumeTrue(Files.isDirectory(directory), "skipped: the shared model " + directory + " is absent");
        return Checkpoint.open(directory).weights();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gptoss-narrow", "gptoss-wide"})
    void shouldComputeTheBitsOfTheUnpackedModel(final String name)
    {
        final ModelWeights packed = weights(name + "-mxfp4");
        final ModelWeights plain = weights(name + "-bf16");
        assertEquals(ModelDigest.of(plain), ModelDigest.of(packed));
        for (final Precision precision : Precision.values())
        {
            final RecordedPass expected = pass(plain, precision);
            final RecordedPass actual = pass(packed, precision);
            assertArrayEquals(expected.logits, actual.logits);
            assertArrayEquals(expected.experts, actual.experts);
            assertArrayEquals(expected.weights, actual.weights);
        }
    }

    private static RecordedPass pass(final ModelWeights weights, final Precision precision)
    {
        final int[] tokens = new int[LENGTH];
        Arrays.setAll(tokens, position -> position * 37 % weights.plan().vocabulary());
        try (WorkTeam team = new WorkTeam(1, "twin"))
        {
            return new RecordedPass(ForwardModel.of(weights, precision), precision, team, LENGTH, 1).feedAll(tokens, LENGTH);
        }
    }
}
