// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import java.util.Arrays;

/**
 * Chooses the next token from logits. Without a temperature it is the first most probable one. Otherwise logits are divided
 * by the temperature, and a token's share is {@code e^(value - largest value)} in units of 2^-32, rounded down; tokens are
 * ordered by value, equal ones by id; the k first are candidates; of these stay the first ones whose shares are together
 * top-p of all candidates', at least one. The token is the first one by id at which the sum of the shares of those that stay
 * exceeds a number below their total, which is a function of seed and position alone. Sums of shares are integers: a
 * device may add them in any order. Serves one thread.
 */
public final class TokenSampler
{
    /** Below it quotients of logits overflow, and the largest logit has every share anyway. */
    private static final float LEAST_TEMPERATURE = 1e-6f;
    /** Of the most probable token. */
    private static final float WHOLE_SHARE = 0x1.0p32f;
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private final float[] lanes = new float[LaneSum.LANES];
    private float[] values = new float[0];
    private long[] order = new long[0];

    /** How to choose. */
    public record SamplingChoice(float temperature, int topK, float topP, long seed)
    {
    }

    /**
     * Chooses a token.
     *
     * @param at       where the logits begin.
     * @param count    the vocabulary.
     * @param position of the token that is chosen.
     */
    public int next(final float[] logits, final int at, final int count, final SamplingChoice choice, final int position)
    {
        if (choice.temperature() < LEAST_TEMPERATURE)
        {
            return largest(logits, at, count);
        }
        reserve(count);
        for (int i = 0; i < count; i++)
        {
            values[i] = logits[at + i] / choice.temperature();
        }
        final float largest = values[largest(values, 0, count)];
        final long last = choice.topK() == 0 && choice.topP() >= 1.0f ? Long.MAX_VALUE : lastKept(count, choice, largest);
        long mass = 0;
        for (int i = 0; i < count; i++)
        {
            mass += place(i) <= last ? share(i, largest) : 0;
        }
        // The upper half of the product of a 63-bit number and twice the mass: below the mass.
        final long drawn = Math.multiplyHigh(random(choice.seed(), position), 2 * mass);
        long sum = 0;
        for (int i = 0; ; i++)
        {
            sum += place(i) <= last ? share(i, largest) : 0;
            if (sum > drawn)
            {
                return i;
            }
        }
    }

    /**
     * Leaves tokens out of a choice and of its log-probability: their logits become negative infinity. If the vocabulary has
     * no other token, one of them is chosen.
     *
     * @param tokens those that are not in the vocabulary do not count.
     */
    public static void leaveOut(final int[] tokens, final float[] logits, final int at, final int count)
    {
        for (final int token : tokens)
        {
            if (token < count)
            {
                logits[at + token] = Float.NEGATIVE_INFINITY;
            }
        }
    }


    private static int largest(final float[] values, final int at, final int count)
    {
        int best = 0;
        for (int i = 0; i < count; i++)
        {
            if (values[at + i] != values[at + i])
            {
                throw new NoNumberException("logits are no numbers");
            }
            if (values[at + i] > values[at + best])
            {
                best = i;
            }
        }
        return best;
    }

    private void reserve(final int count)
    {
        if (order.length < count)
        {
            values = new float[count];
            order = new long[count];
        }
    }

    /** In units of {@link #WHOLE_SHARE}; equal infinities differ by nothing. */
    private long share(final int token, final float largest)
    {
        return (long)(FloatMath.exp(values[token] == largest ? 0.0f : values[token] - largest) * WHOLE_SHARE);
    }

    /** The place of the last token that stays. */
    private long lastKept(final int count, final SamplingChoice choice, final float largest)
    {
        for (int i = 0; i < count; i++)
        {
            order[i] = place(i);
        }
        Arrays.sort(order, 0, count);
        final int candidates = choice.topK() == 0 ? count : Math.min(choice.topK(), count);
        long all = 0;
        for (int i = 0; i < candidates; i++)
        {
            all += share((int)order[i], largest);
        }
        long mass = share((int)order[0], largest);
        int last = 0;
        while (last + 1 < candidates && mass < (double)choice.topP() * all)
        {
            mass += share((int)order[++last], largest);
        }
        return order[last];
    }

    /** A number by which tokens are ordered: larger values first, of equal ones the lower id, which is its lower half. */
    private long place(final int token)
    {
        // Adding 0 makes one zero of both; the complement sorts large values first.
        final int bits = Float.floatToIntBits(values[token] + 0.0f);
        final int ascending = bits >= 0 ? bits : ~bits ^ Integer.MIN_VALUE;
        return (long)~ascending << Integer.SIZE | token;
    }

    /** The upper 63 bits of SplitMix64's finaliser over seed and position. */
    static long random(final long seed, final int position)
    {
        return mix(mix(seed) + GOLDEN_GAMMA * (position + 1L)) >>> 1;
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
        final float largest = logits[at + largest(logits, at, count)];
        Arrays.fill(lanes, 0.0f);
        for (int i = 0; i < count; i++)
        {
            lanes[i % LaneSum.LANES] += FloatMath.exp(logits[at + i] - largest);
        }
        return (float)(logits[at + token] - largest - StrictMath.log(LaneSum.ofLanes(lanes)));
    }
}
