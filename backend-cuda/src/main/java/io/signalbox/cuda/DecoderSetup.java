// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.backend.RankSizes;
import io.signalbox.cuda.capture.StepBlock;
import io.signalbox.cuda.decoder.DecoderSizes;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.Precision;

/**
 * The model that a backend computes, and the sizes of its ranks.
 *
 * @param family of kernels, which can compute the model.
 * @param sizes  of a rank; null until the engine has told them.
 */
record DecoderSetup(ModelWeights weights, Precision precision, KernelFamily family, RankSizes sizes)
{
    DecoderSetup
    {
        family.check(weights.plan(), precision);
    }

    DecoderPlan plan()
    {
        return weights.plan();
    }

    DecoderLimits limits()
    {
        return new DecoderLimits(plan().vocabulary(), maxPositions(), maxEntries(), feedBytes());
    }

    /** A sequence is not longer than the pool, and the model was made for no longer ones. */
    private int maxPositions()
    {
        return (int)Math.min(plan().maxPositions(), (long)sizes.kvBlocks() * sizes.blockSizeTokens());
    }

    DecoderSizes memory(final int slots)
    {
        return new DecoderSizes(sizes.kvBlocks(), sizes.blockSizeTokens(), maxPositions(), slots, maxEntries());
    }

    /** Each running request has one entry in a step, and each entry a token. */
    private int maxEntries()
    {
        return Math.min(sizes.maxRunning(), sizes.stepTokens());
    }

    /** The most bytes of what a step feeds: each entry's block table as long as can be, and a copy for each entry. */
    long feedBytes()
    {
        final long entries = maxEntries();
        final long table = (maxPositions() + sizes.blockSizeTokens() - 1L) / sizes.blockSizeTokens() + 1;
        return StepBlock.feedBytes(sizes.stepTokens(), entries, entries, entries * table);
    }
}
