// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.cuda.kernel.LogitsType;

import java.util.SplittableRandom;

/** Random logits of the kinds that routers get wrong: spread, full of ties, extreme, infinite, and no numbers at all. */
final class RandomLogits
{
    private static final float[] SPECIAL = {
        0.0f, -0.0f, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.MIN_VALUE, 3.0e38f, -3.0e38f, 88.5f,
        -104.0f};
    private static final int KINDS = 4;
    private static final int BF16_MASK = 0xFFFF0000;

    /** @return {@code [tokens][experts]}, exact in the type of the spec. */
    float[][] draw(final int tokens, final ExpertRouterSpec spec, final SplittableRandom random)
    {
        final float[][] rows = new float[tokens][spec.experts()];
        for (final float[] row : rows)
        {
            final int kind = random.nextInt(KINDS);
            for (int expert = 0; expert < row.length; expert++)
            {
                final float logit = logit(kind, random);
                row[expert] = spec.type() == LogitsType.BF16
                    ? Float.intBitsToFloat(Float.floatToRawIntBits(logit) & BF16_MASK) : logit;
            }
        }
        return rows;
    }

    /** Finite values around 0. */
    float[] outputs(final int count, final SplittableRandom random)
    {
        final float[] values = new float[count];
        for (int i = 0; i < count; i++)
        {
            values[i] = (float)(random.nextDouble() * 2.0 - 1.0);
        }
        return values;
    }

    private static float logit(final int kind, final SplittableRandom random)
    {
        return switch (kind)
        {
            // Sums of uniform numbers, close to normally distributed, as a trained router's logits are.
            case 0 -> (float)((random.nextDouble() + random.nextDouble() + random.nextDouble() - 1.5) * 6.0);
            case 1 -> random.nextInt(-3, 4) * 0.5f;
            case 2 -> Float.intBitsToFloat(random.nextInt());
            default -> random.nextInt(8) == 0 ? SPECIAL[random.nextInt(SPECIAL.length)] : random.nextInt(-40, 41) * 0.25f;
        };
    }
}
