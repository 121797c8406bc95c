// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import java.math.BigInteger;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The choice of the next token as it is defined, by sorting; logits come from few values, so that many are equal. */
final class TokenByDefinition
{
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private TokenByDefinition()
    {
    }

    /** Throws an {@link AssertionError} if another token is chosen. */
    static void check(final long seed)
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final int count = 1 + random.nextInt(40);
        final int at = random.nextInt(3);
        final float[] logits = new float[at + count + 2];
        for (int i = 0; i < logits.length; i++)
        {
            logits[i] = random.nextInt(-6, 7) * 0.5f;
        }
        final float temperature = random.nextInt(4) == 0 ? 0.0f : random.nextInt(1, 9) * 0.25f;
        final TokenSampler.SamplingChoice choice = new TokenSampler.SamplingChoice(temperature,
            random.nextInt(count + 2), random.nextInt(1, 9) * 0.125f, random.nextLong());
        final int position = random.nextInt(1000);
        assertEquals(chosen(logits, at, count, choice, position),
            new TokenSampler().next(logits, at, count, choice, position), "token of seed " + seed + ", " + choice);
    }

    private static int chosen(
        final float[] logits, final int at, final int count, final TokenSampler.SamplingChoice choice, final int position)
    {
        final float temperature = choice.temperature() == 0.0f ? 1.0f : choice.temperature();
        final List<Integer> sorted = IntStream.range(0, count).boxed()
            .sorted(Comparator.comparingDouble(id -> -(logits[at + id] / temperature))).toList();
        if (choice.temperature() == 0.0f)
        {
            return sorted.get(0);
        }
        final List<Integer> candidates = sorted.subList(0, choice.topK() == 0 ? count : Math.min(count, choice.topK()));
        final float largest = logits[at + candidates.get(0)] / temperature;
        final Map<Integer, Long> shares = new TreeMap<>();
        long all = 0;
        for (final int id : candidates)
        {
            all += share(logits[at + id] / temperature, largest);
        }
        long mass = 0;
        for (final int id : candidates)
        {
            if (shares.isEmpty() || mass < choice.topP() * (double)all)
            {
                shares.put(id, share(logits[at + id] / temperature, largest));
                mass += shares.get(id);
            }
        }
        final long drawn = drawn(choice.seed(), position).multiply(BigInteger.valueOf(mass)).shiftRight(63).longValueExact();
        long cumulated = 0;
        for (final Map.Entry<Integer, Long> each : shares.entrySet())
        {
            cumulated += each.getValue();
            if (cumulated > drawn)
            {
                return each.getKey();
            }
        }
        throw new AssertionError("the shares end at " + cumulated + " and " + drawn + " was drawn");
    }

    private static long share(final float value, final float largest)
    {
        return (long)(FloatMath.exp(value - largest) * 0x1.0p32);
    }

    /** The JDK's generator has the same finaliser. */
    private static BigInteger drawn(final long seed, final int position)
    {
        final long mixed = new SplittableRandom(seed - GOLDEN_GAMMA).nextLong();
        return BigInteger.valueOf(new SplittableRandom(mixed + GOLDEN_GAMMA * position).nextLong() >>> 1);
    }
}
