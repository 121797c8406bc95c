// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;

import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ExpertRouterSpecTest
{
    private static ExpertRouterSpec grouped(final int experts, final int topK, final int groups, final int topGroups)
    {
        return ExpertRouterSpec.plain(experts, topK, ExpertRouterMode.SIGMOID_BIAS, LogitsType.FP32)
            .withGroups(groups, topGroups).withRenormalise(true).withScale(2.5f).withBias(new float[experts]);
    }

    private static void assertRefuses(final String part, final Runnable construction)
    {
        final String message = assertThrows(ConfigException.class, construction::run).getMessage();
        assertTrue(message.contains(part), message);
        assertTrue(message.endsWith("."), message);
    }

    private static ExpertRouterSpec plain(final int experts, final int topK)
    {
        return ExpertRouterSpec.plain(experts, topK, ExpertRouterMode.SOFTMAX_TOPK, LogitsType.BF16);
    }

    @Test
    void d20ShouldGiveIdsASecondByteFromTheFirstExpertThatNeedsIt()
    {
        assertEquals(1, plain(255, 8).idBytes());
        assertEquals(1, plain(256, 8).idBytes());
        assertEquals(2, plain(257, 8).idBytes());
        assertEquals(2, plain(512, 8).idBytes());
    }

    @Test
    void shouldRefuseSizesThatTheKernelsAreNotMadeFor()
    {
        assertRefuses("experts=7 is not between 8 and 512", () -> plain(7, 1));
        assertRefuses("experts=513 is not between 8 and 512", () -> plain(513, 1));
        assertRefuses("topK=0 is not between 1 and 22", () -> plain(64, 0));
        assertRefuses("topK=23 is not between 1 and 22", () -> plain(64, 23));
        assertRefuses("topK=9 is not between 1 and experts=8", () -> plain(8, 9));
        assertEquals(22, plain(512, 22).topK());
        assertEquals(8, plain(8, 8).topK());
    }

    @Test
    void shouldRefuseGroupsThatCannotServe()
    {
        assertRefuses("do not split into groups=7", () -> grouped(256, 8, 7, 4));
        assertRefuses("groups=64 is not between 1 and 32", () -> grouped(256, 8, 64, 4));
        assertRefuses("topGroups=9 is not between 1 and groups=8", () -> grouped(256, 8, 8, 9));
        assertRefuses("topGroups=2 of 8 experts each hold fewer than topK=17", () -> grouped(64, 17, 8, 2));
        assertRefuses("goes with SIGMOID_BIAS alone", () -> ExpertRouterSpec.plain(64, 8, ExpertRouterMode.TOPK_SOFTMAX,
            LogitsType.BF16).withGroups(8, 4));
        assertEquals(32, grouped(256, 8, 8, 4).groupSize());
        assertEquals(16, grouped(64, 16, 8, 2).topK());
    }

    @Test
    void shouldRefuseBiasesAndScalesThatMakeNoSense()
    {
        assertRefuses("has 3 values for experts=8", () -> ExpertRouterSpec.plain(8, 2, ExpertRouterMode.SIGMOID_BIAS,
            LogitsType.FP32).withBias(new float[3]));
        assertRefuses("bias goes with SIGMOID_BIAS alone", () -> ExpertRouterSpec.plain(8, 2, ExpertRouterMode.SOFTMAX_TOPK,
            LogitsType.FP32).withBias(new float[8]));
        final float[] broken = new float[8];
        broken[5] = Float.NaN;
        assertRefuses("bias of expert 5 is NaN", () -> ExpertRouterSpec.plain(8, 2, ExpertRouterMode.SIGMOID_BIAS,
            LogitsType.FP32).withBias(broken));
        for (final float scale : new float[] {0, -1, Float.NaN, Float.POSITIVE_INFINITY})
        {
            assertRefuses("scale=" + scale, () -> ExpertRouterSpec.plain(8, 2, ExpertRouterMode.SOFTMAX_TOPK,
                LogitsType.FP32).withScale(scale));
        }
    }

    @Test
    void shouldKeepItsBiasWhateverBecomesOfTheArray()
    {
        final float[] bias = new float[8];
        final ExpertRouterSpec spec =
            ExpertRouterSpec.plain(8, 2, ExpertRouterMode.SIGMOID_BIAS, LogitsType.FP32).withBias(bias);
        bias[0] = 1;
        spec.bias()[1] = 1;
        assertTrue(IntStream.range(0, 8).allMatch(i -> spec.bias()[i] == 0));
    }
}
