// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

/** How a router turns logits into a set of experts and their weights. */
public enum ExpertRouterMode
{
    /** Softmax over all experts, of which the top-k are taken with their probabilities: OLMoE, Qwen3-MoE, Mixtral. */
    SOFTMAX_TOPK("softmax_topk"),
    /** Top-k of the logits, then softmax over the chosen alone: gpt-oss. */
    TOPK_SOFTMAX("topk_softmax"),
    /** Top-k of sigmoid plus bias, within the best groups; weights are the sigmoids without bias: DeepSeek-V3. */
    SIGMOID_BIAS("sigmoid_bias");

    private final String kernelPart;

    ExpertRouterMode(final String kernelPart)
    {
        this.kernelPart = kernelPart;
    }

    /** How kernels of this mode say so in their names. */
    String kernelPart()
    {
        return kernelPart;
    }
}
