// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.ConfigException;
import io.signalbox.model.AttentionPlan;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertsPlan;
import io.signalbox.model.ModelFamily;
import io.signalbox.model.QkNorm;
import io.signalbox.model.WeightType;
import io.signalbox.model.forward.Precision;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class KernelFamilyTest
{
    private static DecoderPlan plan(final WeightType type, final int hidden, final int headSize, final int width)
    {
        return DecoderPlan.of(ModelFamily.OLMOE, type, 1, hidden, 70, AttentionPlan.of(2, 2, headSize, 10_000.0)
            .withQkNorm(QkNorm.FULL_WIDTH), ExpertsPlan.softmax(8, 3, width, false));
    }

    @Test
    void shouldTakeWhatItCanCompute()
    {
        assertDoesNotThrow(() -> KernelFamily.EXACT.check(plan(WeightType.F32, 33, 6, 7), Precision.F32));
        assertDoesNotThrow(() -> KernelFamily.FAST.check(plan(WeightType.BF16, 40, 4, 8), Precision.BF16));
    }

    @ParameterizedTest
    @CsvSource({"BF16, F32, 40, 4, 8, computed in F32", "F32, BF16, 40, 4, 8, weights in F32",
        "BF16, BF16, 36, 4, 8, hidden width has 36", "BF16, BF16, 40, 6, 8, attention has 12",
        "BF16, BF16, 40, 4, 12, experts has 12"})
    void shouldRefuseByName(
        final WeightType type, final Precision precision, final int hidden, final int headSize, final int width,
        final String what)
    {
        final String message = assertThrows(ConfigException.class,
            () -> KernelFamily.FAST.check(plan(type, hidden, headSize, width), precision)).getMessage();
        assertTrue(message.contains(what) && message.contains("kernelFamily EXACT"), message);
        assertEquals(1, message.lines().count());
    }

    @Test
    void shouldRefuseBiasesByName()
    {
        final DecoderPlan biased = DecoderPlan.of(ModelFamily.QWEN3_MOE, WeightType.BF16, 1, 40, 70,
            AttentionPlan.of(2, 2, 4, 10_000.0).withBiases(true), ExpertsPlan.softmax(8, 3, 8, false));
        assertEquals("The fast kernels of the CUDA backend have no biases, sinks or clamped experts, which the model " +
            "uses; choose kernelFamily EXACT.", assertThrows(ConfigException.class,
                () -> KernelFamily.FAST.check(biased, Precision.BF16)).getMessage());
    }
}
