// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

/**
 * The experts of every MoE layer and the choice among them.
 *
 * @param experts       experts per layer, at least 1.
 * @param topK          experts per token, 1 to {@code experts}.
 * @param width         inner width of one expert, at least 1.
 * @param scoring       how scores come from router logits.
 * @param renormalise   whether the weights of the chosen experts are divided by their sum.
 * @param roundsWeights whether bf16 arithmetic rounds the weights of the chosen experts and the products with them.
 * @param groups        groups of the choice, a divisor of {@code experts}; 1: no groups.
 * @param keptGroups    groups that are kept, 1 to {@code groups}.
 * @param scale         factor of the weights.
 * @param sharedExperts experts that every token goes through, as one of {@code sharedExperts} times the width; 0: none.
 */
public record ExpertsPlan(
    int experts, int topK, int width, ExpertScoring scoring, boolean renormalise, boolean roundsWeights, int groups,
    int keptGroups, double scale, int sharedExperts)
{
    static final int MAX_EXPERTS = 1 << 15;

    public ExpertsPlan
    {
        if (experts < 1 || experts > MAX_EXPERTS || topK < 1 || topK > experts || width < 1)
        {
            throw new ModelException(topK + " of " + experts + " experts of width " + width + " are impossible",
                "give 1 to " + MAX_EXPERTS + " experts, at most as many per token, and a width of at least 1");
        }
        if (groups < 1 || experts % groups != 0 || keptGroups < 1 || keptGroups > groups ||
            topK > keptGroups * (experts / groups) || groups > 1 && experts / groups < 2)
        {
            throw new ModelException(keptGroups + " of " + groups + " groups of " + experts +
                " experts are impossible for " + topK + " experts per token",
                "groups must have two or more experts each, all the same number, and those that are kept top-k");
        }
        if (!(scale > 0.0) || Double.isInfinite(scale) || sharedExperts < 0 ||
            (long)sharedExperts * width > DecoderPlan.MAX_WIDTH)
        {
            throw new ModelException("expert weights times " + scale + " with " + sharedExperts +
                " shared experts of width " + width + " are impossible",
                "give a positive factor and shared experts of " + DecoderPlan.MAX_WIDTH + " together at most");
        }
    }

    /** Softmax, then top-k, no groups, nothing shared. */
    public static ExpertsPlan softmax(final int experts, final int topK, final int width, final boolean renormalise)
    {
        return new ExpertsPlan(
            experts, topK, width, ExpertScoring.SOFTMAX_THEN_TOP_K, renormalise, true, 1, 1, 1.0, 0);
    }

    /** Whether the router has a bias per expert. */
    public boolean hasBias()
    {
        return scoring == ExpertScoring.SIGMOID_GROUPS;
    }

    /** Inner width of the shared experts together; 0: none. */
    public int sharedWidth()
    {
        return sharedExperts * width;
    }
}
