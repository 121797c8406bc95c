// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.experts.ModelShape;

/**
 * How like the choices of the fast kernels are to those of the exact ones. Another expert, or another token, may be chosen
 * only if its score is close to the score of the exact choice: the k-th weights of a layer, and the log-probabilities of
 * the sampled tokens, must be near, whichever experts and tokens they belong to. Behind its first other choice a sequence
 * computes something else, so its later choices are counted only.
 */
final class LikenessOfChoices
{
    /** The share by which a weight of an expert may differ. */
    static final double WIDEST_GAP = 0x1p-4;
    /** By which a log-probability may differ. */
    static final double WIDEST_LOGPROB = 0x1p-4;
    private static final double LEAST_SHARE = 0.95;

    private final ModelShape shape;
    private final boolean[] isApart;
    private int choices;
    private int sameChoices;
    private int tokens;
    private int sameTokens;
    private double gap;
    private double logprob;

    LikenessOfChoices(final ModelShape shape, final int sequences)
    {
        this.shape = shape;
        isApart = new boolean[sequences];
    }

    /** Adds a step, which has as many tokens of each sequence, one sequence behind the other, the last of each sampled. */
    void add(final ModelSteps exact, final ModelSteps fast)
    {
        add(exact.rows(), exact.combineWeights(), fast.rows(), fast.combineWeights());
        for (int i = 0; i < isApart.length; i++)
        {
            addToken(i, exact.sampled()[i], exact.logprobs()[i], fast.sampled()[i], fast.logprobs()[i]);
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

    void report(final String name, final Findings findings)
    {
        findings.count(name + ": choices of experts", choices);
        findings.count(name + ": choices as by the exact kernels", sameChoices);
        findings.count(name + ": tokens sampled", tokens);
        findings.count(name + ": tokens as by the exact kernels", sameTokens);
        findings.figure(name + ": widest gap of weights of experts", 100 * gap, "%");
        findings.figure(name + ": widest gap of log-probabilities", logprob, "nat");
        final String fault = fault();
        if (fault != null)
        {
            findings.failed(name + ": " + fault + ".");
        }
    }

    /** The first fault; {@code null}: there is none. */
    String fault()
    {
        if (sameChoices < LEAST_SHARE * choices || sameTokens < LEAST_SHARE * tokens)
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
        return null;
    }
}
