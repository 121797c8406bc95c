// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import io.signalbox.ConfigException;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The shape of a model, as far as step times depend on it.
 *
 * @param name            of the family of models with this shape.
 * @param kernelName      its name in the measurements of MoE layers; empty: it has none.
 * @param denseParameters parameters that every token passes, apart from routed experts and MLA modules.
 * @param precision       the precision in which it is usually served: fp8, fp4, mxfp4 or bf16.
 */
public record ServedModelShape(
    String name, String kernelName, int hiddenSize, ServedAttention attention, ServedExperts routed, long denseParameters,
    String precision)
{
    /**
     * Attention.
     *
     * @param layers         of the model.
     * @param latent         whether it is MLA with {@code kvHeads * headDim} values per token.
     * @param windowedLayers layers that read only the last {@code windowTokens} tokens.
     */
    record ServedAttention(
        int layers, int heads, int kvHeads, int headDim, boolean latent, int windowedLayers, int windowTokens)
    {
        private static ServedAttention grouped(final int layers, final int heads, final int kvHeads, final int headDim)
        {
            return new ServedAttention(layers, heads, kvHeads, headDim, false, 0, 0);
        }

        private ServedAttention withWindow(final int ofLayers, final int tokens)
        {
            return new ServedAttention(layers, heads, kvHeads, headDim, latent, ofLayers, tokens);
        }
    }

    /**
     * Experts of a layer.
     *
     * @param layers with experts; 0: a dense model.
     * @param size   intermediate size of an expert.
     */
    record ServedExperts(int layers, int count, int topK, int size)
    {
    }

    /** Values per token in the cache of a layer with MLA: 512 compressed and 64 of the rotary part. */
    private static final int LATENT_VALUES = 576;
    /** Parameters of an MLA module of DeepSeek-V3. */
    private static final double LATENT_PARAMETERS = 187e6;

    private static final List<ServedModelShape> KNOWN = List.of(
        new ServedModelShape("deepseek-v3", "DeepSeek-V3/R1", 7168,
            new ServedAttention(61, 128, 1, LATENT_VALUES, true, 0, 0), new ServedExperts(58, 256, 8, 2048),
            3L * 3 * 7168 * 18432 + 58L * 3 * 7168 * 2048 + 129280L * 7168, "fp8"),
        grouped("qwen3-235b", "Qwen3-235B-A22B", 4096, ServedAttention.grouped(94, 64, 4, 128),
            new ServedExperts(94, 128, 8, 1536), 151_936, "fp8"),
        grouped("qwen3-30b", "Qwen3-30B-A3B", 2048, ServedAttention.grouped(48, 32, 4, 128),
            new ServedExperts(48, 128, 8, 768), 151_936, "bf16"),
        grouped("mixtral-8x7b", "Mixtral-8x7B", 4096, ServedAttention.grouped(32, 32, 8, 128),
            new ServedExperts(32, 8, 2, 14_336), 32_000, "bf16"),
        grouped("gpt-oss-120b", "gpt-oss-120b", 2880, ServedAttention.grouped(36, 64, 8, 64).withWindow(18, 128),
            new ServedExperts(36, 128, 4, 2880), 201_088, "mxfp4"),
        grouped("olmoe-1b-7b", "", 2048, ServedAttention.grouped(16, 16, 16, 128),
            new ServedExperts(16, 64, 8, 1024), 50_304, "bf16"));

    /** A model with grouped-query attention and experts in every layer. */
    private static ServedModelShape grouped(
        final String name,
        final String kernelName,
        final int hidden,
        final ServedAttention attention,
        final ServedExperts routed,
        final long vocabulary,
        final String precision)
    {
        return new ServedModelShape(name, kernelName, hidden, attention, routed,
            attention.layers() * projections(hidden, attention.heads(), attention.kvHeads(), attention.headDim()) +
                vocabulary * hidden, precision);
    }

    public int experts()
    {
        return routed.count();
    }

    public int topK()
    {
        return routed.topK();
    }

    public int layers()
    {
        return attention.layers();
    }

    int moeLayers()
    {
        return routed.layers();
    }

    int heads()
    {
        return attention.heads();
    }

    int headDim()
    {
        return attention.headDim();
    }

    boolean latentAttention()
    {
        return attention.latent();
    }

    int windowTokens()
    {
        return attention.windowTokens();
    }

    /** Parameters of the projections of one layer of grouped-query attention. */
    static long projections(final long hidden, final long heads, final long kvHeads, final long headDim)
    {
        return hidden * (2 * heads + 2 * kvHeads) * headDim;
    }

    public static List<ServedModelShape> known()
    {
        return KNOWN;
    }

    /** @param text a name of the list, or {@code deepseek-r1}, which has the shape of {@code deepseek-v3}. */
    public static ServedModelShape of(final String text)
    {
        return KNOWN.stream().filter(model -> model.name.equals(text.equals("deepseek-r1") ? "deepseek-v3" : text))
            .findFirst().orElseThrow(() -> ConfigException.of("model", text,
                names() + " or a directory with a config.json", "give a name of this list, or ./" + text +
                " for the directory"));
    }

    public static String names()
    {
        return KNOWN.stream().map(ServedModelShape::name).collect(Collectors.joining(", "));
    }

    /** {@code null} if the measurements name a model that is not in the list. */
    public static ServedModelShape measured(final String path)
    {
        final String name = path.substring(path.lastIndexOf('/') + 1);
        for (final String[] known : new String[][] {{"DeepSeek-R1", "deepseek-v3"}, {"DeepSeek-V3", "deepseek-v3"},
            {"Qwen3-235B", "qwen3-235b"}, {"Qwen3-30B-A3B", "qwen3-30b"}, {"Mixtral-8x7B", "mixtral-8x7b"},
            {"gpt-oss-120b", "gpt-oss-120b"}, {"OLMoE-1B-7B", "olmoe-1b-7b"}})
        {
            if (name.startsWith(known[0]) && !name.contains("Distill"))
            {
                return of(known[1]);
            }
        }
        return null;
    }

    /** Parameters of one expert. */
    double expertParameters()
    {
        return 3.0 * hiddenSize * routed.size();
    }

    /** KV heads that one of the GPUs which share attention holds. */
    double kvHeadsPerGpu(final int tensorParallel)
    {
        return attention.latent() ? 1 : Math.max(1.0, (double)attention.kvHeads() / tensorParallel);
    }

    /** Share of the layers that read a window. */
    double windowedShare()
    {
        return (double)attention.windowedLayers() / layers();
    }

    /** Bytes of a weight of a routed expert. */
    static double expertBytes(final String precision)
    {
        return switch (precision)
        {
            case "fp4", "mxfp4" -> 0.56;
            case "fp8" -> 1;
            default -> 2;
        };
    }

    /** Bytes of a weight outside of the routed experts; mxfp4 leaves these in two bytes. */
    static double denseBytes(final String precision)
    {
        return precision.equals("fp8") || precision.equals("fp4") ? 1 : 2;
    }

    /** Bytes of the weights that each GPU holds, apart from embeddings. */
    double weightBytesPerGpu(final String weights, final Parallelism parallelism)
    {
        final double latent = attention.latent() ? LATENT_PARAMETERS * layers() : 0;
        final double dense = (denseParameters + latent) * denseBytes(weights) / parallelism.tensorParallel();
        return dense + moeLayers() * (double)experts() * expertParameters() * expertBytes(weights) / parallelism.gpus();
    }

    /** Bytes that one token takes in the KV cache of one GPU, in two bytes per value. */
    double kvBytesPerToken(final int tensorParallel)
    {
        final double values = attention.latent() ? LATENT_VALUES : 2 * kvHeadsPerGpu(tensorParallel) * headDim();
        return 2.0 * values * (layers() - attention.windowedLayers());
    }
}
