// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.experts.ModelShape;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertsPlan;

import java.util.BitSet;

/** The time of reading once what a step reads: weights, of the experts those that are hit, and keys and values. */
final class ModelFloor
{
    private static final int BYTE_MASK = 0xFF;

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

    /**
     * @param tokens  each the last of a sequence of {@code context} positions.
     * @param experts distinct experts that the tokens choose, summed over the layers.
     */
    double decodeMillis(final int tokens, final int context, final double experts)
    {
        final ExpertsPlan plans = plan.experts();
        final double expertBytes = 3.0 * plan.hidden() * plans.width() * plan.type().bytes();
        final double all = expertBytes * plans.experts() * plan.moeLayers().size();
        final double embedding = (double)plan.vocabulary() * plan.hidden() * plan.type().bytes();
        final double others = weightBytes() - all - (plan.tiedEmbeddings() ? 0.0 : embedding);
        return (others + expertBytes * experts + kvBytes(tokens, context)) / bytesPerSecond * 1e3;
    }

    /** Distinct experts of a step, summed over the layers. */
    static int distinctExperts(final byte[] rows, final ModelShape shape)
    {
        final BitSet found = new BitSet();
        for (int at = 0; at < rows.length / shape.idBytes(); at++)
        {
            final int layer = at % shape.rowIds() / shape.topK();
            found.set(layer * shape.experts() + id(rows, at, shape.idBytes()));
        }
        return found.cardinality();
    }

    /** Little-endian. */
    private static int id(final byte[] rows, final int at, final int bytes)
    {
        final int low = rows[at * bytes] & BYTE_MASK;
        return bytes == Byte.BYTES ? low : low | (rows[at * bytes + 1] & BYTE_MASK) << Byte.SIZE;
    }
}
