// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import java.util.Arrays;

/**
 * Chooses the next token from logits. Without a temperature it is the first most probable one. Otherwise logits are divided
 * by the temperature; tokens are ordered by that, equal ones by id; the k first are candidates; of these stay the first ones
 * that together have the probability top-p, at least one; and the token is the first whose cumulated probability exceeds a
 * number in [0, 1) that is a function of seed and position alone. Probabilities are added in double, in this order. Serves
 * one thread.
 */
public final class TokenSampler
{
    /** Below it quotients of logits overflow, and the largest logit has every share anyway. */
    private static final float LEAST_TEMPERATURE = 1e-6f;
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;
    private static final int DOUBLE_BITS = 53;

    private final float[] lanes = new float[LaneSum.LANES];
    private float[] shares = new float[0];
    private long[] order = new long[0];

    /** How to choose. */
    public record Choice(float temperature, int topK, float topP, long seed)
    {
    }

    /**
     * Chooses a token.
     *
     * @param at       where the logits begin.
     * @param count    the vocabulary.
     * @param position of the token that is chosen.
     */
    public int next(final float[] logits, final int at, final int count, final Choice choice, final int position)
    {
        if (choice.temperature() < LEAST_TEMPERATURE)
        {
            return largest(logits, at, count);
        }
        final int candidates = sort(logits, at, count, choice);
        final float largest = value(0);
        double sum = 0.0;
        for (int i = 0; i < candidates; i++)
        {
            shares[i] = FloatMath.exp(value(i) - largest);
            sum += shares[i];
        }
        int kept = 1;
        double mass = shares[0];
        for (; kept < candidates && mass < choice.topP() * sum; kept++)
        {
            mass += shares[kept];
        }
        final double drawn = uniform(choice.seed(), position) * mass;
        double cumulated = 0.0;
        for (int i = 0; i < kept; i++)
        {
            cumulated += shares[i];
            if (cumulated > drawn)
            {
                return id(i);
            }
        }
        return id(kept - 1);
    }

    private static int largest(final float[] logits, final int at, final int count)
    {
        int best = 0;
        for (int i = 0; i < count; i++)
        {
            if (logits[at + i] != logits[at + i])
            {
                throw new ArithmeticException("logits are no numbers");
            }
            if (logits[at + i] > logits[at + best])
            {
                best = i;
            }
        }
        return best;
    }

    /** Orders the candidates; returns how many there are. */
    private int sort(final float[] logits, final int at, final int count, final Choice choice)
    {
        reserve(count);
        for (int i = 0; i < count; i++)
        {
            final float value = logits[at + i] / choice.temperature();
            if (value != value)
            {
                throw new ArithmeticException("logits are no numbers");
            }
            // Adding 0 makes one zero of both; the complement sorts large values first.
            final int bits = Float.floatToIntBits(value + 0.0f);
            final int ascending = bits >= 0 ? bits : ~bits ^ Integer.MIN_VALUE;
            order[i] = (long)~ascending << Integer.SIZE | i;
        }
        Arrays.sort(order, 0, count);
        return choice.topK() == 0 ? count : Math.min(choice.topK(), count);
    }

    private void reserve(final int count)
    {
        if (order.length < count)
        {
            shares = new float[count];
            order = new long[count];
        }
    }

    private float value(final int place)
    {
        final int ascending = ~(int)(order[place] >> Integer.SIZE);
        return Float.intBitsToFloat(ascending >= 0 ? ascending : ~(ascending ^ Integer.MIN_VALUE));
    }

    private int id(final int place)
    {
        return (int)order[place];
    }

    /** A number in [0, 1): the upper 53 bits of SplitMix64's finaliser over seed and position. */
    static double uniform(final long seed, final int position)
    {
        return (mix(mix(seed) + GOLDEN_GAMMA * (position + 1L)) >>> Long.SIZE - DOUBLE_BITS) * 0x1.0p-53;
    }

    private static long mix(final long value)
    {
        long z = value;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    /** Natural logarithm of a token's probability, without temperature, top-k and top-p. */
    public float logprob(final float[] logits, final int at, final int count, final int token)
    {
        reserve(count);
        final float largest = logits[at + largest(logits, at, count)];
        for (int i = 0; i < count; i++)
        {
            shares[i] = FloatMath.exp(logits[at + i] - largest);
        }
        return (float)(logits[at + token] - largest - StrictMath.log(LaneSum.of(shares, 0, count, lanes)));
    }
}
