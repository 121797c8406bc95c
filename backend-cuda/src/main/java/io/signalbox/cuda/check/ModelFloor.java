// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertsPlan;

/** The time of reading once what a step reads: weights, of the experts those that are hit, and keys and values. */
final class ModelFloor
{
    private final DecoderPlan plan;
    private final double bytesPerSecond;

    ModelFloor(final DecoderPlan plan, final double bytesPerSecond)
    {
        this.plan = plan;
        this.bytesPerSecond = bytesPerSecond;
    }

    long weightBytes()
    {
        return plan.parameters() * plan.type().bytes();
    }

    /** Keys and values of sequences, in the type of the weights. */
    long kvBytes(final int sequences, final int context)
    {
        final long token = (long)plan.layers() * (plan.attention().keyWidth() + plan.attention().valueWidth());
        return token * plan.type().bytes() * sequences * context;
    }

    /** @param tokens each the last of a sequence of {@code context} positions. */
    double decodeMillis(final int tokens, final int context)
    {
        final ExpertsPlan experts = plan.experts();
        final double expertBytes = 3.0 * plan.hidden() * experts.width() * plan.type().bytes();
        final double all = expertBytes * experts.experts() * plan.moeLayers().size();
        final double hit = 1.0 - Math.pow(1.0 - (double)experts.topK() / experts.experts(), tokens);
        final double embedding = (double)plan.vocabulary() * plan.hidden() * plan.type().bytes();
        final double others = weightBytes() - all - (plan.tiedEmbeddings() ? 0.0 : embedding);
        return (others + all * hit + kvBytes(tokens, context)) / bytesPerSecond * 1e3;
    }
}
