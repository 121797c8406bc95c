// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

/**
 * Attention of every layer. Query head h uses key-value head h / (heads / kvHeads); scores are multiplied by {@code
 * headSize^-0.5}.
 *
 * @param heads     query heads, at least 1.
 * @param kvHeads   key-value heads, a divisor of {@code heads}.
 * @param headSize  elements of a query or key head, even.
 * @param ropeTheta base of the RoPE frequencies, {@code theta^(-2i/size)}; above 0.
 * @param qkNorm    normalisation of queries and keys.
 * @param clip      queries, keys and values are clipped to this magnitude, after the norm and before RoPE; 0: not clipped.
 * @param latent    {@code null}: heads are projected directly.
 */
public record AttentionPlan(
    int heads, int kvHeads, int headSize, double ropeTheta, QkNorm qkNorm, double clip, LatentAttention latent)
{
    static final int MAX_HEADS = 1 << 16;
    static final int MAX_HEAD_SIZE = 1 << 14;

    public AttentionPlan
    {
        if (heads < 1 || heads > MAX_HEADS || kvHeads < 1 || heads % kvHeads != 0)
        {
            throw new ModelException(heads + " attention heads with " + kvHeads + " key-value heads are impossible",
                "the number of key-value heads must divide the number of heads, at most " + MAX_HEADS);
        }
        if (headSize < 2 || headSize % 2 != 0 || headSize > MAX_HEAD_SIZE)
        {
            throw new ModelException("a head size of " + headSize + " is impossible",
                "give an even one between 2 and " + MAX_HEAD_SIZE);
        }
        if (!(ropeTheta > 0.0) || Double.isInfinite(ropeTheta) || !(clip >= 0.0) || Double.isInfinite(clip))
        {
            throw new ModelException("a RoPE base of " + ropeTheta + " with clipping at " + clip + " is impossible",
                "give a positive base and no negative clip");
        }
    }

    /** Elements of a query or key head that RoPE rotates. */
    public int rotarySize()
    {
        return latent == null ? headSize : latent.rotarySize();
    }

    /** Elements of all query heads. */
    public int queryWidth()
    {
        return heads * headSize;
    }

    /** Elements of all key heads. */
    public int keyWidth()
    {
        return kvHeads * headSize;
    }

    /** Elements of a value head. */
    public int valueSize()
    {
        return latent == null ? headSize : latent.valueSize();
    }

    /** Elements of all value heads. */
    public int valueWidth()
    {
        return kvHeads * valueSize();
    }

    /** Elements of the attention's output before {@code o_proj}. */
    public int outputWidth()
    {
        return heads * valueSize();
    }
}
