// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import java.util.List;

/**
 * Microseconds of the kernels of one step on one attention group of a deployment, over all layers: fitted cells where the
 * measurements have them, else bytes over bandwidth and operations over the rate of the GPU.
 */
final class KernelTimes
{
    /** Share of the bandwidth that reading weights of experts reaches where no measurement exists. */
    private static final double READ_EFFICIENCY = 0.85;
    /** Share of the rate that matrix products reach where no measurement exists. */
    private static final double COMPUTE_EFFICIENCY = 0.6;
    /** Start of a MoE layer where no measurement exists. */
    private static final double MOE_BASE_MICROS = 25;
    private static final int BYTES_PER_ACTIVATION = 2;
    private static final int MOST_MEASURED_GPUS = 8;

    final double decodeBase;
    final double perDecodeEntry;
    /** Per token of context that a decode entry reads in every layer. */
    final double perContextToken;
    final double perPrefillToken;
    /** Per pair of a new token and a token that it attends to, in every layer. */
    final double perPrefillPair;
    final double denseBase;
    final double perDenseToken;
    final double moeBase;
    /** Per expert that an expert-parallel group reads, its assignments, tokens of all groups, and its hottest expert's. */
    final double perExpert;
    final double perAssignment;
    final double perMoeToken;
    final double perHottestToken;
    final double collectiveBase;
    /** Per token of the attention group if the deployment has one group, else per token of all groups. */
    final double perCollectiveToken;
    private final Deployment deployment;

    KernelTimes(final Deployment deployment, final KernelFits fits)
    {
        this.deployment = deployment;
        final ServedModelShape model = deployment.model();
        final int layers = model.layers();
        final double[] decode = decodeCell(fits);
        decodeBase = layers * decode[0];
        perDecodeEntry = layers * decode[1];
        perContextToken = layers * decode[2];
        final double[] prefill = prefillCell(fits);
        perPrefillToken = layers * prefill[0];
        perPrefillPair = layers * prefill[1];
        final double denseBytes = ServedModelShape.denseBytes(deployment.precision());
        final double parameters = (double)model.denseParameters() / deployment.parallelism().tensorParallel();
        denseBase = deployment.gpu().readMicros(parameters * denseBytes);
        perDenseToken = deployment.gpu().computeMicros(2 * parameters, denseBytes);
        final double[] moe = moeCell(fits);
        final double shards = deployment.parallelism().expertShards();
        moeBase = model.moeLayers() * moe[0];
        perExpert = model.moeLayers() * moe[1] / shards;
        perAssignment = model.moeLayers() * moe[2] / shards;
        perMoeToken = model.moeLayers() * moe[3];
        perHottestToken = model.moeLayers() * moe[4] / shards;
        final double[] collectives = collectives(fits);
        collectiveBase = layers * collectives[0];
        perCollectiveToken = layers * collectives[1];
    }

    private String gpu()
    {
        return deployment.gpu().label();
    }

    /** Microseconds per layer: start, per entry, per token of context. */
    private double[] decodeCell(final KernelFits fits)
    {
        final ServedModelShape model = deployment.model();
        final int tensor = deployment.parallelism().tensorParallel();
        final double heads = (double)model.heads() / tensor;
        if (model.latentAttention())
        {
            final double[] cell = fits.find(List.of("mla-decode/" + gpu() + "/" + latentType(), "mla-decode/" + gpu() +
                "/fp8_block"));
            return new double[] {cell[0] + cell[1] * heads, cell[2] + cell[3] * heads, cell[4] + cell[5] * heads};
        }
        final double[] cell = fits.find(List.of("gqa-decode/" + gpu()));
        final double values = model.kvHeadsPerGpu(tensor) * model.headDim();
        return new double[] {cell[0], cell[1] + cell[2] * values, cell[3] * values + cell[4] * heads};
    }

    /** Microseconds per layer: per token, per pair. The start is that of the decode kernel, which a step has as well. */
    private double[] prefillCell(final KernelFits fits)
    {
        final ServedModelShape model = deployment.model();
        final double heads = (double)model.heads() / deployment.parallelism().tensorParallel();
        if (model.latentAttention())
        {
            final double[] cell = fits.find(List.of("mla-prefill/" + gpu() + "/" + latentType(), "mla-prefill/" + gpu() +
                "/fp8_block"));
            return new double[] {cell[2] + cell[3] * heads, cell[4] * heads};
        }
        final double[] cell = fits.find(List.of("gqa-prefill/" + gpu()));
        final double values = heads * model.headDim();
        return new double[] {cell[1] + cell[2] * values, cell[3] * values + cell[4] * heads};
    }

    private String latentType()
    {
        return switch (deployment.precision())
        {
            case "fp4" -> "nvfp4";
            case "bf16" -> "bfloat16";
            default -> "fp8_block";
        };
    }

    /** Microseconds per layer: start, per expert, per assignment, per token, per token of the hottest expert. */
    private double[] moeCell(final KernelFits fits)
    {
        final ServedModelShape model = deployment.model();
        if (model.moeLayers() == 0)
        {
            return new double[5];
        }
        final String type = switch (deployment.precision())
        {
            case "fp4" -> "nvfp4";
            case "mxfp4" -> "w4a16_mxfp4";
            case "fp8" -> "fp8_block";
            default -> "bfloat16";
        };
        final String cell = "moe/" + model.kernelName() + "/" + gpu() + "/" + type + "/tp";
        final double[] fitted = fits.find(List.of(cell + deployment.parallelism().expertShards(), cell + 1));
        if (fitted != null)
        {
            return fitted;
        }
        final double bytes = ServedModelShape.expertBytes(deployment.precision());
        return new double[] {MOE_BASE_MICROS,
            deployment.gpu().readMicros(model.expertParameters() * bytes) / READ_EFFICIENCY,
            deployment.gpu().computeMicros(2 * model.expertParameters(), Math.max(1, bytes)) / COMPUTE_EFFICIENCY,
            deployment.gpu().readMicros(4.0 * model.hiddenSize() * BYTES_PER_ACTIVATION), 0};
    }

    /** Microseconds per layer: start, per token. */
    private double[] collectives(final KernelFits fits)
    {
        final Parallelism layout = deployment.parallelism();
        if (layout.gpus() == 1)
        {
            return new double[2];
        }
        final double bytes = (double)deployment.model().hiddenSize() * BYTES_PER_ACTIVATION;
        if (layout.dataParallel() == 1)
        {
            final double[] reduce = collective(fits, "all_reduce", layout.gpus());
            return new double[] {2 * reduce[0], 2 * reduce[1] * bytes};
        }
        final double[] gather = collective(fits, "all_gather", layout.gpus());
        final double[] scatter = collective(fits, "reduce_scatter", layout.gpus());
        final double[] reduce = layout.tensorParallel() == 1 ? new double[2] :
            collective(fits, "all_reduce", layout.tensorParallel());
        return new double[] {gather[0] + scatter[0] + 2 * reduce[0], (gather[1] + scatter[1]) * bytes};
    }

    private double[] collective(final KernelFits fits, final String operation, final int gpus)
    {
        final int measured = gpus <= 2 ? 2 : gpus <= 4 ? 4 : MOST_MEASURED_GPUS;
        return fits.find(List.of("collective/" + operation + "/" + gpu() + "/" + measured));
    }

    /** Tokens of context that the layers read on average, if each entry has read so many. */
    double readContext(final double context)
    {
        final ServedModelShape model = deployment.model();
        final double share = model.windowedShare();
        return share == 0 ? context : (1 - share) * context + share * Math.min(context, model.windowTokens());
    }

    /** Pairs that the layers compute on average for a whole prompt. */
    double promptPairs(final double tokens)
    {
        final ServedModelShape model = deployment.model();
        final double share = model.windowedShare();
        final double pairs = tokens * tokens / 2;
        return share == 0 ? pairs : (1 - share) * pairs + share * Math.min(pairs, tokens * model.windowTokens());
    }

    /** Experts of one expert-parallel group that so many tokens touch if experts are alike. */
    double touchedExperts(final double tokens)
    {
        final ServedModelShape model = deployment.model();
        if (model.experts() == 0)
        {
            return 0;
        }
        final double untouched = StrictMath.pow(1 - (double)model.topK() / model.experts(), tokens);
        return expertsPerGroup() * (1 - untouched);
    }

    double expertsPerGroup()
    {
        return (double)deployment.model().experts() / deployment.parallelism().expertParallel();
    }

    /** Microseconds of the MoE layers for so many tokens over all attention groups, if experts are alike. */
    double moeMicros(final double tokens)
    {
        final ServedModelShape model = deployment.model();
        if (model.experts() == 0)
        {
            return 0;
        }
        final double perExpertTokens = tokens * model.topK() / model.experts();
        final double hottest = Math.min(tokens, perExpertTokens + 2 * Math.sqrt(perExpertTokens));
        return moeBase + perExpert * touchedExperts(tokens) + perMoeToken * tokens + perHottestToken * hottest +
            perAssignment * tokens * model.topK() / deployment.parallelism().expertParallel();
    }

    /** Microseconds that a further token adds to the MoE layers if all experts are touched. */
    double moeMicrosPerToken()
    {
        final ServedModelShape model = deployment.model();
        return model.experts() == 0 ? 0 : perMoeToken + perHottestToken * model.topK() / model.experts() +
            perAssignment * model.topK() / deployment.parallelism().expertParallel();
    }
}
