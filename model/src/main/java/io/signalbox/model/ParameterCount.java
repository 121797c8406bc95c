// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.math.BigInteger;

/** Counts the weights of a plan, without any tensor. */
final class ParameterCount
{
    private final DecoderPlan plan;

    ParameterCount(final DecoderPlan plan)
    {
        this.plan = plan;
    }

    long total()
    {
        final long hidden = plan.hidden();
        final long heads = plan.vocabulary() * hidden * (plan.tiedEmbeddings() ? 1 : 2);
        final long moeLayers = plan.moeLayers().size();
        final BigInteger sum = product(plan.layers(), attention() + 2 * hidden)
            .add(product(plan.layers() - moeLayers, feedForward(plan.denseWidth())))
            .add(product(moeLayers, router() + feedForward(plan.experts().sharedWidth())))
            .add(product(moeLayers, plan.experts().experts()).multiply(product(1, expert())))
            .add(BigInteger.valueOf(heads + hidden));
        if (sum.bitLength() > Long.SIZE - 8)
        {
            throw new ModelException("a model of " + sum + " weights is impossible", "choose a smaller one");
        }
        return sum.longValue();
    }

    private static BigInteger product(final long left, final long right)
    {
        return BigInteger.valueOf(left).multiply(BigInteger.valueOf(right));
    }

    private long feedForward(final long width)
    {
        return 3 * width * plan.hidden();
    }

    private long router()
    {
        final ExpertsPlan experts = plan.experts();
        final boolean hasBias = experts.hasChoiceBias() || experts.isClamped();
        return (long)experts.experts() * plan.hidden() + (hasBias ? experts.experts() : 0);
    }

    private long expert()
    {
        final long width = plan.experts().width();
        return feedForward(width) + (plan.experts().isClamped() ? 2 * width + plan.hidden() : 0);
    }

    private long attention()
    {
        final AttentionPlan attention = plan.attention();
        final long hidden = plan.hidden();
        final long output = hidden * attention.outputWidth();
        if (attention.latent() != null)
        {
            return output + latent(attention, attention.latent());
        }
        final long norms = switch (attention.qkNorm())
        {
            case NONE -> 0;
            case PER_HEAD -> 2L * attention.headSize();
            case FULL_WIDTH -> attention.queryWidth() + attention.keyWidth();
        };
        final long projected = (long)attention.queryWidth() + attention.keyWidth() + attention.valueWidth();
        final long biases = attention.biases() ? projected + hidden : 0;
        return output + hidden * projected + norms + biases + (attention.sinks() ? attention.heads() : 0);
    }

    private long latent(final AttentionPlan attention, final LatentAttention latent)
    {
        final long hidden = plan.hidden();
        final long rank = latent.keyValueRank();
        final long keyValue = (rank + latent.rotarySize()) * hidden + rank +
            rank * attention.heads() * (latent.plainSize() + latent.valueSize());
        final long queryRank = latent.queryRank();
        return keyValue + (queryRank == 0 ? hidden * attention.queryWidth() :
            queryRank * hidden + queryRank + queryRank * attention.queryWidth());
    }
}
