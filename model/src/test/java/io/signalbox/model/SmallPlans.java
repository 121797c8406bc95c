// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.Arrays;
import java.util.List;

/** Plans of a few hundred weights. */
final class SmallPlans
{
    private SmallPlans()
    {
    }

    /** Two layers, the first one dense. */
    static DecoderPlan of(final WeightType type, final boolean tied)
    {
        return new DecoderPlan(ModelFamily.QWEN3_MOE, type, 2, List.of(1), 8, 16, 12, 64, 1e-6, tied,
            new AttentionPlan(2, 1, 4, 10_000.0, QkNorm.PER_HEAD, 0.0, null), ExpertsPlan.softmax(4, 2, 6, true));
    }

    static boolean same(final ModelWeights left, final ModelWeights right)
    {
        final FeedForward a = left.layers().get(1).moe().experts().get(3);
        final FeedForward b = right.layers().get(1).moe().experts().get(3);
        return left.plan().equals(right.plan()) && same(left.head(), right.head()) && same(a.gate(), b.gate()) &&
            same(a.up(), b.up()) && same(a.down(), b.down()) &&
            same(left.layers().get(0).dense().up(), right.layers().get(0).dense().up()) &&
            Arrays.equals(left.finalNorm(), right.finalNorm());
    }

    private static boolean same(final WeightMatrix left, final WeightMatrix right)
    {
        return left.bytes().equals(right.bytes());
    }
}
