// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.stream.LongStream;

/** Buffers that the forward pass of one rank makes for its largest step. */
public final class StepBuffers
{
    /** Cosines and sines, and one of them half as long while they grow. */
    private static final double ROPE_TABLES = 2.5;

    private final DecoderPlan plan;
    private final long tokens;
    private final long samples;
    private final long positions;

    /**
     * @param stepTokens most tokens of a step.
     * @param sampled    most tokens that a step samples, each from the logits behind another token.
     * @param kvTokens   tokens for which the rank has KV blocks: a step writes each of its tokens to another place.
     */
    public StepBuffers(final DecoderPlan plan, final int stepTokens, final int sampled, final long kvTokens)
    {
        this.plan = plan;
        tokens = Math.min(stepTokens, Math.max(1, kvTokens));
        samples = Math.min(sampled, tokens);
        positions = Math.min(plan.maxPositions(), Math.max(1, kvTokens));
    }

    /** Bytes of all buffers together; {@link Long#MAX_VALUE} if a long does not count them. */
    public long bytes()
    {
        final double exact = (double)tokens * LongStream.of(widths()).sum() + (double)samples * plan.vocabulary() +
            ROPE_TABLES * ropeTable();
        return exact > Long.MAX_VALUE / Float.BYTES ? Long.MAX_VALUE : (long)exact * Float.BYTES;
    }

    /** Elements of the largest single buffer, which is one array. */
    public long largestBuffer()
    {
        return Math.max(ropeTable(),
            Math.max(tokens * LongStream.of(widths()).max().getAsLong(), samples * plan.vocabulary()));
    }

    /** Cosines, or sines, of the positions that the rank can hold. */
    private long ropeTable()
    {
        return positions * (plan.attention().rotarySize() / 2);
    }

    /** Elements per token of each buffer. */
    private long[] widths()
    {
        final AttentionPlan attention = plan.attention();
        final ExpertsPlan experts = plan.experts();
        final LatentAttention latent = attention.latent();
        final long chosen = experts.topK();
        final long kept = plan.moeLayers().size() * chosen;
        final long compressed =
            latent == null ? 0 : Math.max(latent.queryRank(), latent.keyValueRank() + latent.rotarySize());
        return new long[] {
            plan.hidden(), plan.hidden(), plan.hidden(),
            attention.queryWidth(), attention.keyWidth(), attention.valueWidth(), attention.outputWidth(),
            compressed, compressed, latent == null ? 0 : (long)attention.heads() * (latent.plainSize() + latent.valueSize()),
            experts.experts(), chosen * experts.width(), chosen * experts.width(), chosen * plan.hidden(),
            experts.sharedExperts() == 0 ? 0 : plan.hidden(), experts.sharedWidth(), experts.sharedWidth(),
            plan.denseWidth(), plan.denseWidth(), chosen, chosen, chosen, chosen, kept, kept};
    }
}
