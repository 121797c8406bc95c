// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.ConfigException;
import io.signalbox.cuda.CudaBackendConfig;
import io.signalbox.cuda.kernel.ExpertRouterMode;
import io.signalbox.model.AttentionPlan;
import io.signalbox.model.AttentionWindow;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertScoring;
import io.signalbox.model.ExpertsPlan;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.LatentAttention;
import io.signalbox.model.ModelFamily;
import io.signalbox.model.WeightType;
import io.signalbox.model.YarnScaling;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** The configuration refuses each part of a model for which there are no kernels, before anything is allocated. */
class DecoderExpertRouterTest
{
    private static final ExpertsPlan SILU = ExpertsPlan.softmax(8, 2, 8, true);

    private static DecoderPlan plan(final AttentionPlan attention, final ExpertsPlan experts)
    {
        return DecoderPlan.of(ModelFamily.QWEN3_MOE, WeightType.F32, 1, 16, 20, attention, experts).withMaxPositions(64)
            .withNormEpsilon(1e-6).withTiedEmbeddings(true);
    }

    private static AttentionPlan attention(
        final LatentAttention latent, final AttentionWindow window, final boolean biases, final boolean sinks)
    {
        final YarnScaling yarn = new YarnScaling(4.0, 16, 32.0, 1.0, true, 1.1, 1.0);
        return AttentionPlan.of(2, latent == null ? 1 : 2, 6, 10_000.0).withLatent(latent).withYarn(yarn).withWindow(window)
            .withBiases(biases).withSinks(sinks);
    }

    private static void assertRefused(final String part, final AttentionPlan attention, final ExpertsPlan experts)
    {
        final CudaBackendConfig config = new CudaBackendConfig();
        assertEquals("The CUDA backend has no kernels for " + part + ", which the model uses; run it on the CPU backend " +
            "(--backend cpu).", assertThrows(ConfigException.class,
                () -> config.model(GeneratedModel.weights(plan(attention, experts), 1))).getMessage());
    }

    @Test
    void shouldRefuseByNameWhatHasNoKernels()
    {
        assertRefused("latent attention (MLA)",
            attention(new LatentAttention(0, 4, 4, 2, 4, true), null, false, false), SILU);
        assertRefused("sliding windows", attention(null, new AttentionWindow(4, List.of(0)), false, false), SILU);
        assertRefused("attention biases", attention(null, null, true, false), SILU);
        assertRefused("attention sinks", attention(null, null, false, true), SILU);
        assertRefused("experts with biases and a clamped SwiGLU", attention(null, null, false, false),
            ExpertsPlan.softmax(8, 2, 8, false).withScoring(ExpertScoring.TOP_K_THEN_SOFTMAX).withLimit(7.0));
    }

    @Test
    void shouldTakeYarn()
    {
        assertEquals(ExpertRouterMode.SOFTMAX_TOPK,
            DecoderExpertRouter.spec(plan(attention(null, null, false, false), SILU)).mode());
    }
}
