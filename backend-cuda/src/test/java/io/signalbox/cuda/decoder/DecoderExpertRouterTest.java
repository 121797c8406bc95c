// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.ConfigException;
import io.signalbox.cuda.CudaBackendConfig;
import io.signalbox.cuda.kernel.ExpertRouterMode;
import io.signalbox.model.AttentionPlan;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertScoring;
import io.signalbox.model.ExpertsPlan;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.LatentAttention;
import io.signalbox.model.ModelFamily;
import io.signalbox.model.WeightType;
import io.signalbox.model.YarnScaling;
import org.junit.jupiter.api.Test;

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

    @Test
    void shouldRefuseByNameWhatHasNoKernels()
    {
        final AttentionPlan latent = AttentionPlan.of(2, 2, 6, 10_000.0).withLatent(new LatentAttention(0, 4, 4, 2, 4, true))
            .withYarn(new YarnScaling(4.0, 16, 32.0, 1.0, true, 1.1, 1.0));
        final CudaBackendConfig config = new CudaBackendConfig();
        assertEquals("The CUDA backend has no kernels for latent attention (MLA), which the model uses; run it on the CPU " +
            "backend (--backend cpu).", assertThrows(ConfigException.class,
                () -> config.model(GeneratedModel.weights(plan(latent, SILU), 1))).getMessage());
    }

    @Test
    void shouldTakeTheSoftmaxOfAnyNumberOfChoices()
    {
        assertEquals(ExpertRouterMode.TOPK_SOFTMAX, DecoderExpertRouter.spec(plan(AttentionPlan.of(2, 1, 6, 10_000.0),
            ExpertsPlan.softmax(8, 4, 8, false).withScoring(ExpertScoring.TOP_K_THEN_SOFTMAX).withLimit(7.0))).mode());
    }
}
