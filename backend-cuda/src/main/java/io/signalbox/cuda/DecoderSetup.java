// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.backend.RankSizes;
import io.signalbox.cuda.capture.StepBlock;
import io.signalbox.cuda.decoder.DecoderSizes;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.event.RequestContent;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.Precision;
import io.signalbox.serving.DraftSource;

/**
 * The model that a backend computes, and the sizes of its ranks.
 *
 * @param family of kernels, which can compute the model.
 * @param weights the weights in the form of the precision.
 * @param sizes  of a rank; null until the engine has told them.
 * @param drafts guesses draft tokens; null: there are none.
 */
record DecoderSetup(
    ModelWeights weights, Precision precision, KernelFamily family, RankSizes sizes, DraftSource drafts)
{
    DecoderSetup
    {
        weights = precision.weights(weights);
        family.check(weights.plan(), precision);
    }

    DecoderPlan plan()
    {
        return weights.plan();
    }

    DecoderLimits limits()
    {
        return new DecoderLimits(plan().vocabulary(), maxPositions(), maxEntries(), feedBytes(),
            hasDrafts() ? drafts : null);
    }

    /** A sequence is not longer than the pool, and the model was made for no longer ones. */
    private int maxPositions()
    {
        return (int)Math.min(plan().maxPositions(), (long)sizes.kvBlocks() * sizes.blockSizeTokens());
    }

    DecoderSizes memory(final int slots)
    {
        return new DecoderSizes(sizes.kvBlocks(), sizes.blockSizeTokens(), maxPositions(), slots,
            sizes.mostSampled(), hasDrafts());
    }

    private boolean hasDrafts()
    {
        return sizes.draftTokens() > 0;
    }

    /** Each running request has one entry in a step, and each entry a token. */
    private int maxEntries()
    {
        return Math.min(sizes.maxRunning(), sizes.stepTokens());
    }

    /** The largest number of bytes that a step feeds: every entry has the longest block table. */
    long feedBytes()
    {
        final long entries = maxEntries();
        final long table = (maxPositions() + sizes.blockSizeTokens() - 1L) / sizes.blockSizeTokens() + 1;
        // An entry guesses for its drafts, and for as many as the steps ahead of it may accept.
        final long guesses = entries * sizes.depth() * sizes.draftTokens();
        return StepBlock.feedBytes(sizes.stepTokens(), sizes.mostSampled(), entries * table) +
            StepBlock.leftOutBytes(sizes.mostSampled(), entries * RequestContent.MAX_STOP_TOKENS) +
            (hasDrafts() ? StepBlock.draftBytes(entries, guesses) : 0);
    }
}
