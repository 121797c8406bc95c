// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.experts.ModelShape;

/**
 * How like the choices of the fast kernels are to those of the exact ones. Another expert, or another token, may be chosen
 * only if its score is close to the score of the exact choice: the k-th weights of a layer, and the log-probabilities of
 * the sampled tokens, must be near, whichever experts and tokens they belong to, and so must all logits. Behind its first
 * other choice a sequence computes something else, so its later choices are counted only.
 */
final class LikenessOfChoices
{
    /**
     * The share by which a weight of an expert may differ: a score that moved by 0.2. Small models move one by 0.08 by
     * rounding alone, since few columns make few errors that cancel out; a wrong product moves scores by their own size.
     */
    static final double WIDEST_GAP = 0x1p-2;
    /** By which a log-probability may differ. */
    static final double WIDEST_LOGPROB = 0x1p-4;
    /** The length of the difference of two entries' logits in relation to that of the exact ones. */
    static final double FARTHEST_LOGITS = 0x1p-4;
    /** Of choices and of tokens, in small models. */
    static final double LEAST_SHARE = 0.95;

    private final ModelShape shape;
    private final double leastShare;
    private final boolean[] isApart;
    private int choices;
    private int sameChoices;
    private int tokens;
    private int sameTokens;
    private double gap;
    private double logprob;
    private double distance;
    /** Entries before their sequence's first other choice: the gaps are theirs. */
    private int near;

    /** @param leastShare of choices and of tokens that must be those of the exact kernels. */
    LikenessOfChoices(final ModelShape shape, final int sequences, final double leastShare)
    {
        this.shape = shape;
        this.leastShare = leastShare;
        isApart = new boolean[sequences];
    }

    /** Adds a step, which has as many tokens of each sequence, one sequence behind the other, the last of each sampled. */
    void add(final ModelSteps exact, final ModelSteps fast)
    {
        add(exact.rows(), exact.combineWeights(), fast.rows(), fast.combineWeights());
        final int vocabulary = exact.logits().length / isApart.length;
        for (int i = 0; i < isApart.length; i++)
        {
            addToken(i, exact.sampled()[i], exact.logprobs()[i], fast.sampled()[i], fast.logprobs()[i]);
            addLogits(i, exact.logits(), fast.logits(), i * vocabulary, vocabulary);
        }
    }

    void add(final byte[] exact, final float[] exactWeights, final byte[] fast, final float[] fastWeights)
    {
        final int k = shape.topK();
        final int idBytes = shape.idBytes();
        final int layersOfSequence = exactWeights.length / k / isApart.length;
        for (int layer = 0; layer < exactWeights.length / k; layer++)
        {
            final int sequence = layer / layersOfSequence;
            boolean isSame = true;
            for (int i = layer * k; i < (layer + 1) * k; i++)
            {
                choices++;
                final boolean isSameExpert = isSame(exact, fast, i * idBytes, idBytes);
                sameChoices += isSameExpert ? 1 : 0;
                isSame &= isSameExpert;
                if (!isApart[sequence])
                {
                    gap = Math.max(gap, Math.abs(exactWeights[i] - (double)fastWeights[i]) / exactWeights[i]);
                }
            }
            isApart[sequence] |= !isSame;
        }
    }

    private static boolean isSame(final byte[] exact, final byte[] fast, final int at, final int bytes)
    {
        boolean isSame = true;
        for (int i = at; i < at + bytes; i++)
        {
            isSame &= exact[i] == fast[i];
        }
        return isSame;
    }

    void addToken(final int sequence, final int exact, final float exactLogprob, final int fast, final float fastLogprob)
    {
        tokens++;
        sameTokens += exact == fast ? 1 : 0;
        if (!isApart[sequence])
        {
            logprob = Math.max(logprob, Math.abs(exactLogprob - (double)fastLogprob));
        }
    }

    /** Of one entry, which are among those of a step. */
    void addLogits(final int sequence, final float[] exact, final float[] fast, final int from, final int count)
    {
        double square = 0;
        double difference = 0;
        for (int i = from; i < from + count; i++)
        {
            square += (double)exact[i] * exact[i];
            difference += (exact[i] - (double)fast[i]) * (exact[i] - (double)fast[i]);
        }
        if (!isApart[sequence])
        {
            near++;
            distance = Math.max(distance, Math.sqrt(difference / square));
        }
    }

    void report(final String name, final Findings findings)
    {
        findings.count(name + ": choices of experts", choices);
        findings.count(name + ": choices as by the exact kernels", sameChoices);
        findings.count(name + ": tokens sampled", tokens);
        findings.count(name + ": tokens as by the exact kernels", sameTokens);
        findings.figure(name + ": widest gap of weights of experts", 100 * gap, "%");
        findings.figure(name + ": widest gap of log-probabilities", logprob, "nat");
        findings.figure(name + ": farthest logits", 100 * distance, "%");
        findings.count(name + ": logits compared, before the first other choice of a sequence", near);
        final String fault = fault();
        if (fault != null)
        {
            findings.failed(name + ": " + fault + ".");
        }
    }

    /** The first fault; {@code null}: there is none. */
    String fault()
    {
        if (sameChoices < leastShare * choices || sameTokens < leastShare * tokens)
        {
            return "only " + sameChoices + " of " + choices + " choices of experts and " + sameTokens + " of " + tokens +
                " tokens are those of the exact kernels";
        }
        // Written so that a value that is no number fails.
        if (!(gap <= WIDEST_GAP))
        {
            return "the weight of a chosen expert differs by " + gap + " of its value, so it is no close choice";
        }
        if (!(logprob <= WIDEST_LOGPROB))
        {
            return "the log-probability of a sampled token differs by " + logprob + ", so it is no close choice";
        }
        if (!(distance <= FARTHEST_LOGITS))
        {
            return "the logits of an entry differ by " + distance + " of their length";
        }
        return null;
    }
}
