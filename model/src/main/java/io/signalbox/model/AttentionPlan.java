// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

/**
 * Attention of every layer, causal. Query head h uses key-value head h / (heads / kvHeads); scores are multiplied by {@code
 * headSize^-0.5}, and by the score factor of YaRN.
 *
 * @param heads     query heads, at least 1.
 * @param kvHeads   key-value heads, a divisor of {@code heads}.
 * @param headSize  elements of a query or key head, even.
 * @param ropeTheta base of the RoPE frequencies, {@code theta^(-2i/size)}; above 0.
 * @param qkNorm    normalisation of queries and keys.
 * @param clip      queries, keys and values are clipped to this magnitude, after the norm and before RoPE; 0: not clipped.
 * @param latent    {@code null}: heads are projected directly.
 * @param yarn      scaling of RoPE; {@code null}: none.
 * @param window    {@code null}: in all layers a token sees all positions up to its own.
 * @param biases    whether the projections of queries, keys, values and output have biases.
 * @param sinks     whether each query head has a logit that joins its softmax and has no value.
 */
public record AttentionPlan(
    int heads, int kvHeads, int headSize, double ropeTheta, QkNorm qkNorm, double clip, LatentAttention latent,
    YarnScaling yarn, AttentionWindow window, boolean biases, boolean sinks)
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
        if (yarn != null && !(ropeTheta > 1.0))
        {
            throw new ModelException("YaRN with a RoPE base of " + ropeTheta + " is impossible", "give a base above 1");
        }
        if (latent != null && (window != null || biases || sinks))
        {
            throw new ModelException("latent attention with a window, biases or sinks is impossible",
                "leave out the latent attention");
        }
    }

    /** Attention without norms, clipping, latent vectors, YaRN, windows, biases and sinks. */
    public static AttentionPlan of(final int heads, final int kvHeads, final int headSize, final double ropeTheta)
    {
        return new AttentionPlan(heads, kvHeads, headSize, ropeTheta, QkNorm.NONE, 0.0, null, null, null, false, false);
    }

    public AttentionPlan withQkNorm(final QkNorm value)
    {
        return new AttentionPlan(
            heads, kvHeads, headSize, ropeTheta, value, clip, latent, yarn, window, biases, sinks);
    }

    public AttentionPlan withClip(final double value)
    {
        return new AttentionPlan(
            heads, kvHeads, headSize, ropeTheta, qkNorm, value, latent, yarn, window, biases, sinks);
    }

    public AttentionPlan withLatent(final LatentAttention value)
    {
        return new AttentionPlan(
            heads, kvHeads, headSize, ropeTheta, qkNorm, clip, value, yarn, window, biases, sinks);
    }

    public AttentionPlan withYarn(final YarnScaling value)
    {
        return new AttentionPlan(
            heads, kvHeads, headSize, ropeTheta, qkNorm, clip, latent, value, window, biases, sinks);
    }

    public AttentionPlan withWindow(final AttentionWindow value)
    {
        return new AttentionPlan(
            heads, kvHeads, headSize, ropeTheta, qkNorm, clip, latent, yarn, value, biases, sinks);
    }

    public AttentionPlan withBiases(final boolean value)
    {
        return new AttentionPlan(
            heads, kvHeads, headSize, ropeTheta, qkNorm, clip, latent, yarn, window, value, sinks);
    }

    public AttentionPlan withSinks(final boolean value)
    {
        return new AttentionPlan(
            heads, kvHeads, headSize, ropeTheta, qkNorm, clip, latent, yarn, window, biases, value);
    }

    /** The factor of the products of queries and keys. */
    public float scoreScale()
    {
        final double plain = 1.0 / Math.sqrt(headSize);
        return (float)(yarn == null ? plain : plain * yarn.scoreFactor());
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

    /** The plan as text, part of {@link ModelDigest}. Absent parts are left out, so that older digests stay valid. */
    @Override
    public String toString()
    {
        return "AttentionPlan[heads=" + heads + ", kvHeads=" + kvHeads + ", headSize=" + headSize + ", ropeTheta=" +
            ropeTheta + ", qkNorm=" + qkNorm + ", clip=" + clip + ", latent=" + latent +
            (yarn == null ? "" : ", yarn=" + yarn) + (window == null ? "" : ", window=" + window) +
            (biases ? ", biases" : "") + (sinks ? ", sinks" : "") + "]";
    }
}
