// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Routers and logits drawn from a seed, such that ties, infinities, NaN and negative scores are common. */
final class ExpertRouterCase
{
    /** Powers of two, sizes of real models between them, and both sides of the boundaries of an id's byte and of a warp. */
    private static final int[] SIZES =
        {8, 9, 16, 31, 32, 33, 40, 60, 64, 65, 128, 129, 160, 255, 256, 257, 384, 511, 512};
    private static final float[] WILD = {
        Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 0.0f, -0.0f, 1.0f, 100.0f, -100.0f, 3.0e38f, 1.0e-40f};

    /** Whose sigmoids are 0 or next to it, so that their sum is. */
    private static final float[] LOW = {Float.NEGATIVE_INFINITY, Float.NaN, -100.0f, -46.0f};

    private final SplittableRandom random;

    ExpertRouterCase(final long seed)
    {
        random = new SplittableRandom(seed);
    }

    ExpertRouterSpec spec()
    {
        return spec(ExpertRouterMode.values()[random.nextInt(3)], LogitsType.values()[random.nextInt(2)]);
    }

    ExpertRouterSpec spec(final ExpertRouterMode mode, final LogitsType type)
    {
        final int experts = random.nextBoolean() ? SIZES[random.nextInt(SIZES.length)] : random.nextInt(8, 513);
        return spec(experts, random.nextInt(1, Math.min(22, experts) + 1), mode, type);
    }

    ExpertRouterSpec spec(final int experts, final int topK, final ExpertRouterMode mode, final LogitsType type)
    {
        final boolean grouped = mode == ExpertRouterMode.SIGMOID_BIAS && random.nextInt(4) > 0;
        final int groups = grouped ? divisor(experts) : 1;
        final int size = experts / groups;
        final int topGroups = random.nextInt((topK + size - 1) / size, groups + 1);
        final float[] bias = mode == ExpertRouterMode.SIGMOID_BIAS && random.nextInt(3) > 0 ? bias(experts) : null;
        final float scale = random.nextBoolean() ? 1.0f : 2.5f;
        return ExpertRouterSpec.plain(experts, topK, mode, type).withGroups(groups, topGroups)
            .withRenormalise(random.nextBoolean()).withScale(scale).withBias(bias);
    }

    private int divisor(final int experts)
    {
        final int[] divisors = IntStream.rangeClosed(1, 32).filter(i -> experts % i == 0).toArray();
        return divisors[random.nextInt(divisors.length)];
    }

    /** Mostly such that scores are negative, in quarters so that they tie. */
    private float[] bias(final int experts)
    {
        final float[] bias = new float[experts];
        for (int i = 0; i < experts; i++)
        {
            bias[i] = -0.25f * random.nextInt(0, 8);
        }
        return bias;
    }

    /** Logits of one token, each of which bf16 holds exactly if the type asks for it. */
    float[] logits(final ExpertRouterSpec spec)
    {
        final int flavour = random.nextInt(5);
        final float[] logits = new float[spec.experts()];
        for (int i = 0; i < logits.length; i++)
        {
            final float logit = switch (flavour)
            {
                case 0 -> 0.5f * random.nextInt(-4, 5);
                case 1 -> (float)(8 * random.nextDouble() - 4);
                case 2 -> WILD[random.nextInt(WILD.length)];
                case 3 -> LOW[random.nextInt(LOW.length)];
                default -> random.nextInt(8) == 0 ? WILD[random.nextInt(WILD.length)] : 0.0625f * random.nextInt(-64, 65);
            };
            logits[i] = spec.type() == LogitsType.BF16 ? bf16(logit) : logit;
        }
        return logits;
    }

    /** Finite logits that are coarse enough for scores to be equal or far apart. */
    float[] tameLogits(final ExpertRouterSpec spec)
    {
        final float[] logits = new float[spec.experts()];
        for (int i = 0; i < logits.length; i++)
        {
            logits[i] = 0.25f * random.nextInt(-12, 13);
        }
        return logits;
    }

    private static float bf16(final float value)
    {
        return Float.intBitsToFloat(Float.floatToRawIntBits(value) & 0xFFFF0000);
    }
}
