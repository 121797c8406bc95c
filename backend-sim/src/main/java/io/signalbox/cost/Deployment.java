// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import io.signalbox.ConfigException;

import java.util.ArrayList;
import java.util.List;

/**
 * A model as served: on which GPUs, spread how, in which precision, by which software.
 *
 * @param precision of the weights: fp8, fp4, mxfp4 or bf16.
 */
public record Deployment(ServedModelShape model, Gpu gpu, Parallelism parallelism, String precision, SoftwareRun run)
{
    /** Levels of {@link #keys}, from the whole to one configuration. */
    public static final int LEVELS = 9;
    /** Engines leave a tenth of the memory to activations and others. */
    private static final double MEMORY_SHARE = 0.9;
    private static final long LEAST_KV_TOKENS = 4096;

    /**
     * Names of the groups to which the deployment belongs, the level in front. A group of runs that the deployment does not
     * name is left out.
     */
    List<String> keys()
    {
        final String family = model.name();
        final String system = gpu.label();
        final String engine = run.engine();
        final String attention = parallelism.dataParallel() > 1 ? "dp" : "tp";
        final String layout = parallelism.gpus() + "/" + parallelism.dataParallel() + "/" + parallelism.expertParallel();
        final List<String> keys = new ArrayList<>();
        keys.add("0|");
        keys.add("1|" + family);
        keys.add("2|" + String.join("|", family, system, precision));
        if (!engine.isEmpty())
        {
            keys.add("3|" + String.join("|", family, engine));
            keys.add("5|" + String.join("|", family, system, engine, precision));
            keys.add("6|" + String.join("|", family, engine, attention, parallelism.expertParallel() > 1 ? "ep" : ""));
            keys.add("8|" + String.join("|", family, system, engine, precision, layout));
        }
        if (run.isLabelled())
        {
            keys.add("4|" + String.join("|", family, engine, run.label(), run.date(), run.version()));
            keys.add("7|" + runKey());
            keys.add("9|" + runKey() + "|" + layout);
        }
        return keys;
    }

    /** The software run on this GPU, whatever the layout. */
    String runKey()
    {
        return String.join("|", run.label(), gpu.label(), run.engine(), run.version(), precision, run.source(),
            run.date());
    }

    /** The configuration without lengths and concurrency. */
    public String configuration()
    {
        return runKey() + "|" + parallelism.text();
    }

    /** The deployment in words. */
    public String text()
    {
        return model.name() + " in " + precision + " on " + gpu.label() + ", " + parallelism.text() +
            (run.engine().isEmpty() ? "" : ", " + run.engine() + (run.version().isEmpty() ? "" : " " + run.version()));
    }

    /**
     * Tokens for which the memory of a GPU has room beside the weights, in the KV cache of one attention group.
     *
     * @throws ConfigException if the weights do not fit.
     */
    public long kvTokens()
    {
        final double weights = model.weightBytesPerGpu(precision, parallelism);
        final double free = gpu.memoryBytes() * MEMORY_SHARE - weights;
        final double tokens = free / model.kvBytesPerToken(parallelism.tensorParallel());
        if (tokens < LEAST_KV_TOKENS)
        {
            throw ConfigException.because("parallel " + parallelism.text() + " leaves " + Math.round(weights / 1e9) +
                " GB of weights of " + model.name() + " in " + precision + " on each " + gpu.label() + " of " +
                gpu.memoryBytes() / 1_000_000_000L + " GB").allowed("a layout whose weights fit")
                .remedy("spread the model over more GPUs");
        }
        return (long)tokens;
    }
}
