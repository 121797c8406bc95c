// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import io.signalbox.experts.ModelShape;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Everything about a decoder but its weights: sizes and switches. Norms are RMSNorm; MLP and experts compute {@code
 * down(silu(gate(x)) * up(x))}, unless {@link ExpertsPlan} has a limit.
 *
 * @param family         the names of its tensors.
 * @param type           type of most weights. A bfloat16 model may have float32 tensors; bf16 arithmetic rounds them.
 * @param layers         at least 1.
 * @param moeLayers      ascending layers that are MoE; the other ones are dense.
 * @param hidden         elements of a token's state.
 * @param vocabulary     token ids are below it.
 * @param denseWidth     inner width of dense layers; 0 if there are none.
 * @param maxPositions   positions that the model was made for; a backend refuses a longer sequence.
 * @param normEpsilon    of all norms.
 * @param tiedEmbeddings whether the output head is the embedding.
 */
public record DecoderPlan(
    ModelFamily family, WeightType type, int layers, List<Integer> moeLayers, int hidden, int vocabulary, int denseWidth,
    int maxPositions, double normEpsilon, boolean tiedEmbeddings, AttentionPlan attention, ExpertsPlan experts)
{
    static final int MAX_LAYERS = 1 << 12;
    static final int MAX_WIDTH = 1 << 20;
    static final int MAX_VOCABULARY = 1 << 24;
    /** In all layers: each costs objects, however narrow it is. */
    static final int MAX_EXPERTS = 1 << 18;

    public DecoderPlan
    {
        moeLayers = List.copyOf(moeLayers);
        range("layers", layers, 1, MAX_LAYERS);
        range("hidden size", hidden, 1, MAX_WIDTH);
        range("vocabulary", vocabulary, 1, MAX_VOCABULARY);
        range("dense width", denseWidth, moeLayers.size() == layers ? 0 : 1, MAX_WIDTH);
        range("expert width", experts.width(), 1, MAX_WIDTH);
        range("shared width", experts.sharedWidth(), 0, MAX_WIDTH);
        range("positions", maxPositions, 1, Integer.MAX_VALUE);
        range("MoE layers", moeLayers.size(), 1, ModelShape.MAX_MOE_LAYERS);
        range("experts in all layers", moeLayers.size() * experts.experts(), 1, MAX_EXPERTS);
        range("query width", attention.queryWidth(), 1, MAX_WIDTH);
        range("attention output", attention.outputWidth(), 1, MAX_WIDTH);
        for (int i = 0; i < moeLayers.size(); i++)
        {
            range("MoE layer", moeLayers.get(i), i == 0 ? 0 : moeLayers.get(i - 1) + 1, layers - 1);
        }
        final List<Integer> windows = attention.window() == null ? List.of() : attention.window().layers();
        for (int i = 0; i < windows.size(); i++)
        {
            range("layer with a window", windows.get(i), i == 0 ? 0 : windows.get(i - 1) + 1, layers - 1);
        }
        if (!(normEpsilon >= 0.0) || normEpsilon > 1.0)
        {
            throw new ModelException("a norm epsilon of " + normEpsilon + " is impossible", "give one between 0 and 1");
        }
    }

    /**
     * A decoder whose layers are all MoE, for 4,096 positions, with an epsilon of norms of 1e-5 and an output head of its
     * own.
     */
    public static DecoderPlan of(
        final ModelFamily family, final WeightType type, final int layers, final int hidden, final int vocabulary,
        final AttentionPlan attention, final ExpertsPlan experts)
    {
        return new DecoderPlan(family, type, layers, IntStream.range(0, layers).boxed().toList(), hidden, vocabulary, 0,
            4096, 1e-5, false, attention, experts);
    }

    public DecoderPlan withType(final WeightType value)
    {
        return new DecoderPlan(family, value, layers, moeLayers, hidden, vocabulary, denseWidth, maxPositions, normEpsilon,
            tiedEmbeddings, attention, experts);
    }

    /** @param width inner width of the other layers, which are dense; 0 if there are none. */
    public DecoderPlan withMoeLayers(final List<Integer> value, final int width)
    {
        return new DecoderPlan(family, type, layers, value, hidden, vocabulary, width, maxPositions, normEpsilon,
            tiedEmbeddings, attention, experts);
    }

    public DecoderPlan withVocabulary(final int value)
    {
        return new DecoderPlan(family, type, layers, moeLayers, hidden, value, denseWidth, maxPositions, normEpsilon,
            tiedEmbeddings, attention, experts);
    }

    public DecoderPlan withMaxPositions(final int value)
    {
        return new DecoderPlan(family, type, layers, moeLayers, hidden, vocabulary, denseWidth, value, normEpsilon,
            tiedEmbeddings, attention, experts);
    }

    public DecoderPlan withNormEpsilon(final double value)
    {
        return new DecoderPlan(family, type, layers, moeLayers, hidden, vocabulary, denseWidth, maxPositions, value,
            tiedEmbeddings, attention, experts);
    }

    public DecoderPlan withTiedEmbeddings(final boolean value)
    {
        return new DecoderPlan(family, type, layers, moeLayers, hidden, vocabulary, denseWidth, maxPositions, normEpsilon,
            value, attention, experts);
    }

    public DecoderPlan withAttention(final AttentionPlan value)
    {
        return new DecoderPlan(family, type, layers, moeLayers, hidden, vocabulary, denseWidth, maxPositions, normEpsilon,
            tiedEmbeddings, value, experts);
    }

    private static void range(final String name, final int value, final int min, final int max)
    {
        if (value < min || value > max)
        {
            throw new ModelException("a model with " + name + " " + value + " is impossible",
                "give a value between " + min + " and " + max);
        }
    }

    /**
     * Reads {@code config.json}, as transformers 5 writes it or as older versions did.
     *
     * @throws ModelException if the file cannot be read, or describes a model that is not supported.
     */
    public static DecoderPlan of(final Path config)
    {
        return new ConfigReader(config).plan();
    }

    /** Whether bf16 arithmetic rounds a norm only after its weight, and not before it, too. */
    public boolean roundsNormsOnce()
    {
        return family == ModelFamily.GPT_OSS;
    }

    /** Whether a layer has experts. */
    public boolean isMoe(final int layer)
    {
        return moeIndex(layer) >= 0;
    }

    /** The place of a layer among the MoE layers, negative if it is dense. */
    public int moeIndex(final int layer)
    {
        return Collections.binarySearch(moeLayers, layer);
    }

    /** The shape of its routed experts. */
    public ModelShape shape()
    {
        return new ModelShape(moeLayers.size(), experts.experts(), experts.topK()).withLayerIds(moeLayers);
    }

    /**
     * Weights of the whole model.
     *
     * @throws ModelException if they are more than a long counts.
     */
    public long parameters()
    {
        return new ParameterCount(this).total();
    }
}
