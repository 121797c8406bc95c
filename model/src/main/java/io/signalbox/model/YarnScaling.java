// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

/**
 * RoPE for long contexts by YaRN (Peng et al. 2023, <a href="https://arxiv.org/abs/2309.00071">arXiv:2309.00071</a>), as
 * transformers computes it. Of {@code size} rotated elements, pair {@code i} has the frequency {@code
 * theta^(-2i/size) * ((1 - ramp) + ramp / factor)}. The ramp is 0 up to pair {@code low} and 1 from pair {@code high} on.
 * Pair {@code size * ln(originalPositions / (2 pi n)) / (2 ln theta)} turns n times within the original positions. The
 * scaling acts at every position and in sequences of every length.
 *
 * @param factor            of the wavelengths of low frequencies, at least 1.
 * @param originalPositions positions before the scaling, at least 1.
 * @param betaFast          turns of the pair {@code low}, at least {@code betaSlow}.
 * @param betaSlow          turns of the pair {@code high}, above 0.
 * @param truncate          whether {@code low} is rounded down and {@code high} up.
 * @param tableFactor       of cosines and sines, above 0.
 * @param scoreFactor       of the scale of attention scores, above 0.
 */
public record YarnScaling(
    double factor, int originalPositions, double betaFast, double betaSlow, boolean truncate, double tableFactor,
    double scoreFactor)
{
    /** The difference between both ends of the ramp if they are equal. */
    private static final double LEAST_RAMP = 0.001;

    public YarnScaling
    {
        if (!(factor >= 1.0) || Double.isInfinite(factor) || originalPositions < 1)
        {
            throw new ModelException("YaRN by " + factor + " from " + originalPositions + " positions is impossible",
                "give a finite factor of at least 1, and at least 1 position");
        }
        if (!(betaSlow > 0.0) || !(betaFast >= betaSlow) || Double.isInfinite(betaFast))
        {
            throw new ModelException("YaRN between " + betaFast + " and " + betaSlow + " turns is impossible",
                "give a positive 'beta_slow' and a finite 'beta_fast' of at least 'beta_slow'");
        }
        if (!isScale(tableFactor) || !isScale(scoreFactor))
        {
            throw new ModelException("YaRN with cosines times " + tableFactor + " and scores times " + scoreFactor +
                " is impossible", "give positive factors that float32 holds");
        }
    }

    private static boolean isScale(final double factor)
    {
        return (float)factor > 0.0f && !Float.isInfinite((float)factor);
    }

    /** {@code 0.1 * scale * ln(factor) + 1}: the published factor of cosines and sines, with the scale 1. */
    static double magnitude(final double factor, final double scale)
    {
        return 0.1 * scale * StrictMath.log(factor) + 1.0;
    }

    /**
     * Factors of the frequencies {@code theta^(-2i/size)}, for i from 0.
     *
     * @param theta above 1.
     * @param size  elements that are rotated, even.
     */
    public double[] frequencyFactors(final double theta, final int size)
    {
        final double fast = pair(betaFast, theta, size);
        final double slow = pair(betaSlow, theta, size);
        final double low = Math.max(0.0, truncate ? Math.floor(fast) : fast);
        final double last = Math.min(size - 1.0, truncate ? Math.ceil(slow) : slow);
        final double high = last == low ? low + LEAST_RAMP : last;
        final double[] factors = new double[size / 2];
        for (int i = 0; i < factors.length; i++)
        {
            final double ramp = Math.max(0.0, Math.min(1.0, (i - low) / (high - low)));
            factors[i] = 1.0 - ramp + ramp / factor;
        }
        return factors;
    }

    /** The pair that turns so often within the original positions. */
    private double pair(final double turns, final double theta, final int size)
    {
        return size * StrictMath.log(originalPositions / (turns * 2.0 * Math.PI)) / (2.0 * StrictMath.log(theta));
    }
}
