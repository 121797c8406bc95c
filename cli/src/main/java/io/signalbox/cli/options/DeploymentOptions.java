// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.cost.CostFile;
import io.signalbox.cost.CostTables;
import io.signalbox.cost.Deployment;
import io.signalbox.cost.Gpu;
import io.signalbox.cost.ModelConfigFile;
import io.signalbox.cost.Parallelism;
import io.signalbox.cost.ServedModelShape;
import io.signalbox.cost.ServedStepCost;
import io.signalbox.cost.SoftwareRun;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.D2hDelay;
import io.signalbox.sim.SimulationConfig;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

import java.nio.file.Path;
import java.util.List;

/** The deployment whose step times are simulated: by its names, or by a file that was calibrated. */
public final class DeploymentOptions
{
    private static final List<String> LINEAR = List.of("--step-base-nanos", "--prefill-token-nanos", "--decode-entry-nanos",
        "--context-token-picos");
    private static final List<String> D2H = List.of("--d2h-base-nanos", "--d2h-row-picos", "--d2h-jitter-nanos");
    private static final List<String> SHAPE = List.of("--capture", "--moe-layers", "--experts", "--top-k");
    /** PCIe of generation 5. */
    private static final double BYTES_PER_PICOSECOND = 0.064;

    @Option(names = "--model", paramLabel = "NAME",
        description = "Take the step times of this model: one of --list-models, or ./DIRECTORY.")
    @InputPath(ModelDirectory.class)
    private String model;

    @Option(names = "--gpu", paramLabel = "NAME", description = "Serve the model on this GPU: h100, h200 or b200.")
    private String gpu;

    @Option(names = "--parallel", paramLabel = "LAYOUT",
        description = "Spread the model as tpN, dpN and epN say, such as tp8, tp8ep8 or dp8ep8.")
    private String parallel;

    @Option(names = "--engine", paramLabel = "NAME[:VERSION]",
        description = "Serve the model with trtllm, vllm or sglang, in a measured version (default: the mean of what was " +
            "measured).")
    private String engine;

    @Option(names = "--precision", paramLabel = "NAME",
        description = "Serve weights in bf16, fp8, fp4 or mxfp4 (default: the usual one of the model).")
    private String precision;

    @Option(names = "--cost", paramLabel = "FILE",
        description = "Let steps take as long as FILE says, a JSON document signalbox.cost/1.")
    @InputPath
    private Path costFile;

    @Option(names = "--list-models", description = "Print the models with measurements and their errors, and exit.")
    private boolean listModels;

    /** A value with a slash, or a point, is a directory. */
    static final class ModelDirectory implements PathInValue
    {
        @Override
        public String in(final String value)
        {
            return isDirectory(value) ? value : null;
        }
    }

    private static boolean isDirectory(final String value)
    {
        return value.contains("/") || value.startsWith(".");
    }

    /** The directory of a model that is computed; {@code null}: none is named. */
    public Path computed()
    {
        return model == null ? null : Path.of(model);
    }

    public boolean listsModels()
    {
        return listModels;
    }

    /** Whether a deployment determines the step times. */
    public boolean isGiven()
    {
        return model != null || costFile != null;
    }

    /** The deployment; {@code null} if none is named. */
    public Deployment deployment()
    {
        if (model == null)
        {
            refuseWithoutModel();
            return null;
        }
        final ServedModelShape served =
            isDirectory(model) ? ModelConfigFile.read(Path.of(model)) : ServedModelShape.of(model);
        if (gpu == null || parallel == null)
        {
            throw new ConfigException("--model needs " + (gpu == null ? "--gpu" : "--parallel") +
                "; give both, such as --gpu h200 --parallel tp8.");
        }
        final Gpu on = Gpu.parse(gpu);
        final String weights = precision == null ? served.precision() : precision;
        if (!List.of("bf16", "fp8", "fp4", "mxfp4").contains(weights))
        {
            throw new ConfigException("--precision=" + weights + " is not known; give bf16, fp8, fp4 or mxfp4.");
        }
        return new Deployment(served, on, Parallelism.parse(parallel), weights, run(served, on, weights));
    }

    /** @throws ConfigException if there is no model, and an option that needs one. */
    public void refuseWithoutModel()
    {
        if (model == null)
        {
            refuse(gpu, "--gpu");
            refuse(parallel, "--parallel");
            refuse(engine, "--engine");
            refuse(precision, "--precision");
        }
    }

    private static void refuse(final String value, final String option)
    {
        if (value != null)
        {
            throw new ConfigException(option + " is for a --model, which is not given; leave it out, or give --model.");
        }
    }

    private SoftwareRun run(final ServedModelShape served, final Gpu on, final String weights)
    {
        if (engine == null)
        {
            return SoftwareRun.of("");
        }
        final int colon = engine.indexOf(':');
        final String name = colon < 0 ? engine : engine.substring(0, colon);
        if (!List.of("trtllm", "vllm", "sglang").contains(name))
        {
            throw new ConfigException("--engine=" + engine + " is not known; give trtllm, vllm or sglang, such as vllm or " +
                "vllm:0.18.0.");
        }
        return colon < 0 ? SoftwareRun.of(name) :
            CostTables.standard().run(served, on, weights, name, engine.substring(colon + 1));
    }

    /** The cost of the steps, with the range that it covers. */
    public CostFile cost()
    {
        if (model != null && costFile != null)
        {
            throw new ConfigException("--cost names a deployment, and so does --model; give one of them.");
        }
        final Deployment deployment = deployment();
        return deployment == null ? CostFile.read(costFile) :
            new CostFile(ServedStepCost.of(deployment, CostTables.standard()), 0, 0);
    }

    /**
     * How a run leaves the range of the measurements, as clauses; empty: it does not, or the range is not known.
     *
     * @param longestPrompt tokens of the longest prompt of the run.
     * @param mostEntries   most requests in a step of a rank.
     */
    public List<String> extrapolations(final CostFile cost, final int longestPrompt, final int mostEntries)
    {
        if (model == null)
        {
            return cost.extrapolations(longestPrompt, mostEntries);
        }
        final Deployment deployment = deployment();
        final boolean isMeasured = CostTables.standard().covered().stream().anyMatch(each ->
            each.model().equals(deployment.model().name()) && each.gpu().equals(deployment.gpu().label()));
        return isMeasured ? List.of() : List.of("no served times of " + deployment.model().name() + " on " +
            deployment.gpu().label() + " were measured, so expect errors of 15 to 60 %");
    }

    /** The costs with those of the deployment. Its host overhead includes the copy of a step's results. */
    public SimulationConfig apply(final SimulationConfig costs, final CostFile cost, final SchedulerConfig scheduler,
        final ParseResult given)
    {
        for (final String option : LINEAR)
        {
            if (given.hasMatchedOption(option))
            {
                throw new ConfigException(option + " is a term of the linear cost, and " +
                    (model == null ? "--cost" : "--model") + " gives another one; leave it out, or change the other.");
            }
        }
        final SimulationConfig served = costs.withServedCost(cost.stepCost());
        if (D2H.stream().anyMatch(given::hasMatchedOption))
        {
            return served;
        }
        final int rowBytes = scheduler.capture() == null ? 0 : scheduler.capture().rowBytes();
        return served.withD2hDelay(new D2hDelay(0, Math.round(rowBytes / BYTES_PER_PICOSECOND), 0));
    }

    /** The scheduler with ranks, memory and experts of the deployment, unless options give others. */
    public SchedulerConfig apply(final SchedulerConfig config, final CostFile cost, final ParseResult given)
    {
        final ServedStepCost.Shape shape = cost.stepCost().shape();
        final SchedulerConfig.Builder builder = config.toBuilder();
        if (shape.dataParallel() > 1)
        {
            builder.lockStep(true);
            if (!given.hasMatchedOption("--ranks"))
            {
                builder.ranks(shape.dataParallel());
            }
        }
        if (model != null && !given.hasMatchedOption("--kv-blocks"))
        {
            final long blocks = deployment().kvTokens() / config.blockSizeTokens();
            builder.kvBlocks((int)Math.max(2, Math.min(blocks, config.kvBlocks())));
        }
        if (SHAPE.stream().noneMatch(given::hasMatchedOption) && shape.moeLayers() > 0 && config.capture() != null)
        {
            builder.capture(new ModelShape(shape.moeLayers(), shape.experts(), shape.topK())
                .withCombineWeights(config.capture().combineWeights()));
        }
        return builder.build();
    }
}
