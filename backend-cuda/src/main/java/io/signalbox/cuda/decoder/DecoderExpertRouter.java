// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.ConfigException;
import io.signalbox.cuda.kernel.ExpertRouterMode;
import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.cuda.kernel.LogitsType;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertScoring;
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
        refuse(plan.attention().latent() != null, "latent attention (MLA)");
        refuse(plan.attention().sinks(), "attention sinks");
        refuse(plan.attention().window() != null, "sliding windows");
        refuse(plan.attention().biases(), "attention biases");
        refuse(experts.isClamped(), "experts with biases and a clamped SwiGLU");
        if (experts.scoring() == ExpertScoring.TOP_K_THEN_SOFTMAX && experts.topK() > 2)
        {
            throw new ConfigException("The CUDA backend adds up more than two weights of a softmax behind the top-k in " +
                "another order than the CPU backend; run the model on the CPU backend (--backend cpu).");
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

    private static void refuse(final boolean isUsed, final String part)
    {
        if (isUsed)
        {
            throw new ConfigException("The CUDA backend has no kernels for " + part + ", which the model uses; run it on " +
                "the CPU backend (--backend cpu).");
        }
    }
}
