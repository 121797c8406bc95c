// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.ConfigException;
import io.signalbox.cuda.kernel.ExpertRouterMode;
import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.cuda.kernel.LogitsType;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertsPlan;

/** The router kernel that computes a plan's choice of experts. */
public final class DecoderExpertRouter
{
    private DecoderExpertRouter()
    {
    }

    /** @throws ConfigException if there are no kernels for it, or for another part of the plan. */
    public static ExpertRouterSpec spec(final DecoderPlan plan)
    {
        final ExpertsPlan experts = plan.experts();
        if (plan.attention().latent() != null)
        {
            throw new ConfigException("The CUDA backend has no kernels for latent attention (MLA), which the model uses; " +
                "run it on the CPU backend (--backend cpu).");
        }
        final ExpertRouterMode mode = switch (experts.scoring())
        {
            case SOFTMAX_THEN_TOP_K -> ExpertRouterMode.SOFTMAX_TOPK;
            case TOP_K_THEN_SOFTMAX -> ExpertRouterMode.TOPK_SOFTMAX;
            case SIGMOID_GROUPS -> ExpertRouterMode.SIGMOID_BIAS;
        };
        return ExpertRouterSpec.plain(experts.experts(), experts.topK(), mode, LogitsType.FP32)
            .withGroups(experts.groups(), experts.keptGroups()).withRenormalise(experts.renormalise())
            .withScale((float)experts.scale());
    }
}
