// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.Precision;

/**
 * Device memory of a decoder in bytes, known before any of it is taken.
 *
 * @param weightBytes of a device: one copy for all its ranks.
 * @param kvBytes     keys and values of a rank.
 * @param logitBytes  of the tokens that a rank's largest step samples.
 * @param stepBytes   everything else in which a rank computes its steps.
 */
public record DecoderMemory(long weightBytes, long kvBytes, long logitBytes, long stepBytes)
{
    /** @param maxTokens of a step. */
    public static DecoderMemory of(
        final ModelWeights weights, final Precision precision, final KernelFamily family, final DecoderSizes sizes,
        final int maxTokens)
    {
        final DecoderPlan plan = weights.plan();
        final CountedBytes buffers = new CountedBytes();
        final long logits = (long)sizes.maxSampled() * plan.vocabulary() * Float.BYTES;
        new DecoderBuffers(buffers::add, plan, maxTokens, sizes, family);
        buffers.add(DecoderStep.sampledBytes(sizes, maxTokens));
        if (sizes.drafts())
        {
            buffers.add(DecoderStep.sampledBytes(sizes, maxTokens));
        }
        DecoderCache.count(plan, sizes, buffers);
        return new DecoderMemory(DecoderWeights.bytes(weights, family), DecoderCache.kvBytes(plan, precision, sizes), logits,
            buffers.bytes() - logits);
    }

    /** Pinned host memory that loading takes for a while. */
    public static long stagingBytes()
    {
        return WeightUpload.STAGING_BYTES;
    }
}
