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
 * @param limit         0: experts compute {@code down(silu(gate(x)) * up(x))}. Above 0: router, gate, up and down have
 *                      biases, gates are clamped to at most the limit and ups to its magnitude, and experts compute {@code
 *                      down((up(x) + 1) * gate(x) * sigmoid(1.702 * gate(x)))}.
 */
public record ExpertsPlan(
    int experts, int topK, int width, ExpertScoring scoring, boolean renormalise, boolean roundsWeights, int groups,
    int keptGroups, double scale, int sharedExperts, double limit)
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
        if (!(limit >= 0.0) || Float.isInfinite((float)limit) || limit > 0.0 && (float)limit == 0.0f)
        {
            throw new ModelException("experts with a limit of " + limit + " are impossible",
                "give a positive limit that float32 holds");
        }
    }

    /** Softmax, then top-k, with rounded weights; no groups, no shared experts, SiLU without biases. */
    public static ExpertsPlan softmax(final int experts, final int topK, final int width, final boolean renormalise)
    {
        return new ExpertsPlan(
            experts, topK, width, ExpertScoring.SOFTMAX_THEN_TOP_K, renormalise, true, 1, 1, 1.0, 0, 0.0);
    }

    public ExpertsPlan withScoring(final ExpertScoring value)
    {
        return new ExpertsPlan(experts, topK, width, value, renormalise, roundsWeights, groups, keptGroups, scale,
            sharedExperts, limit);
    }

    public ExpertsPlan withRoundedWeights(final boolean value)
    {
        return new ExpertsPlan(experts, topK, width, scoring, renormalise, value, groups, keptGroups, scale,
            sharedExperts, limit);
    }

    public ExpertsPlan withGroups(final int count, final int kept)
    {
        return new ExpertsPlan(experts, topK, width, scoring, renormalise, roundsWeights, count, kept, scale,
            sharedExperts, limit);
    }

    public ExpertsPlan withScale(final double value)
    {
        return new ExpertsPlan(experts, topK, width, scoring, renormalise, roundsWeights, groups, keptGroups, value,
            sharedExperts, limit);
    }

    public ExpertsPlan withSharedExperts(final int value)
    {
        return new ExpertsPlan(experts, topK, width, scoring, renormalise, roundsWeights, groups, keptGroups, scale,
            value, limit);
    }

    public ExpertsPlan withLimit(final double value)
    {
        return new ExpertsPlan(experts, topK, width, scoring, renormalise, roundsWeights, groups, keptGroups, scale,
            sharedExperts, value);
    }

    /** Whether the choice, and only the choice, adds a bias per expert. */
    public boolean hasChoiceBias()
    {
        return scoring == ExpertScoring.SIGMOID_GROUPS;
    }

    /** Whether gates and ups are clamped, and router and experts have biases. */
    public boolean isClamped()
    {
        return limit > 0.0;
    }

    /** Inner width of the shared experts together; 0: none. */
    public int sharedWidth()
    {
        return sharedExperts * width;
    }

    /** The plan as text, part of {@link ModelDigest}. Absent parts are left out, so that older digests stay valid. */
    @Override
    public String toString()
    {
        return "ExpertsPlan[experts=" + experts + ", topK=" + topK + ", width=" + width + ", scoring=" + scoring +
            ", renormalise=" + renormalise + ", roundsWeights=" + roundsWeights + ", groups=" + groups + ", keptGroups=" +
            keptGroups + ", scale=" + scale + ", sharedExperts=" + sharedExperts + (isClamped() ? ", limit=" + limit : "") +
            "]";
    }
}
