// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import io.signalbox.config.DoubleText;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The identity of a model: SHA-256 over its plan and the SHA-256 of each of its tensors, in the order in which a pass uses
 * them. A tensor of a checkpoint counts with every bit of its weights, so that one changed weight changes the digest;
 * sharded and fused forms of a checkpoint have the same one. A generated tensor counts with its recipe, which needs no
 * weight: a generated model and a checkpoint with the same weights have different digests.
 */
public final class ModelDigest
{
    /** As {@code Double.toString} writes a finite number. */
    private static final Pattern NUMBER = Pattern.compile("\\d+\\.\\d+(E-?\\d+)?");

    private final List<Part> parts = new ArrayList<>();

    /** Feeds a tensor. */
    private interface Part
    {
        void addTo(MessageDigest digest);
    }

    private ModelDigest()
    {
    }

    /** 64 hexadecimal digits. Reads every weight of a checkpoint once, on all processors. */
    public static String of(final ModelWeights weights)
    {
        final ModelDigest model = new ModelDigest();
        model.add(weights);
        final MessageDigest whole = sha256();
        whole.update(text(weights.plan()).getBytes(StandardCharsets.UTF_8));
        model.parts.parallelStream().map(ModelDigest::digest).forEachOrdered(whole::update);
        return HexFormat.of().formatHex(whole.digest());
    }

    /** The text of a plan, with the same digits on every JVM. */
    static String text(final DecoderPlan plan)
    {
        return NUMBER.matcher(plan.toString()).replaceAll(number -> DoubleText.of(Double.parseDouble(number.group())));
    }

    private static byte[] digest(final Part part)
    {
        final MessageDigest digest = sha256();
        part.addTo(digest);
        return digest.digest();
    }

    private static MessageDigest sha256()
    {
        try
        {
            return MessageDigest.getInstance("SHA-256");
        }
        catch (final NoSuchAlgorithmException e)
        {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private void add(final ModelWeights weights)
    {
        add(weights.embedding());
        weights.layers().forEach(this::add);
        add(weights.finalNorm());
        add(weights.head());
    }

    private void add(final LayerWeights layer)
    {
        add(layer.inputNorm());
        final AttentionWeights attention = layer.attention();
        add(attention.query(), attention.key(), attention.value(), attention.output());
        add(attention.queryNorm());
        add(attention.keyNorm());
        add(attention.sinks());
        if (attention.biases() != null)
        {
            final AttentionWeights.Biases biases = attention.biases();
            Stream.of(biases.query(), biases.key(), biases.value(), biases.output()).forEach(this::add);
        }
        if (attention.latent() != null)
        {
            final LatentWeights latent = attention.latent();
            add(latent.queryDown(), latent.queryUp(), latent.keyValueDown(), latent.keyValueUp());
            add(latent.queryNorm());
            add(latent.keyValueNorm());
        }
        add(layer.postAttentionNorm());
        add(layer.dense());
        if (layer.moe() != null)
        {
            add(layer.moe().router());
            add(layer.moe().bias());
            add(layer.moe().routerBias());
            layer.moe().experts().forEach(this::add);
            add(layer.moe().shared());
        }
    }

    private void add(final FeedForward mlp)
    {
        if (mlp != null)
        {
            add(mlp.gate(), mlp.up(), mlp.down());
            if (mlp.biases() != null)
            {
                Stream.of(mlp.biases().gate(), mlp.biases().up(), mlp.biases().down()).forEach(this::add);
            }
        }
    }

    private void add(final WeightMatrix... matrices)
    {
        // The plan says which matrices there are, so that leaving one out is not ambiguous.
        Stream.of(matrices).filter(matrix -> matrix != null).forEach(matrix -> parts.add(matrix::addTo));
    }

    private void add(final float[] vector)
    {
        if (vector != null)
        {
            parts.add(digest ->
            {
                final ByteBuffer bytes =
                    ByteBuffer.allocate(vector.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
                bytes.asFloatBuffer().put(vector);
                digest.update(bytes);
            });
        }
    }
}
