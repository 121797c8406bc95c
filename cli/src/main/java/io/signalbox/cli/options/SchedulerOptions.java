// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.cli.options.yaml.RouterConfigFile;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.DecoderPlan;
import io.signalbox.router.DpRouters;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

import java.util.List;

/** The scheduler of simulated ranks and the shape of the simulated model. */
public final class SchedulerOptions extends RouterOptions
{
    /** KV cache of one rank, for every block size. */
    private static final int POOL_TOKENS = 1_048_576;
    private static final String POOL = "1,048,576 tokens";
    private static final int MAX_TOP_K = 64;
    private static final int MAX_ROW_BYTES = 8192;

    @Option(names = "--router-config", paramLabel = "FILE",
        description = "Read the router and its knobs from a YAML file with TensorRT-LLM's attention_dp_config.")
    @InputPath
    private String routerConfig;

    private final SettingOptions scheduler = simulated().byDefault(SchedulerConfig.CAPTURE, true);
    private final SettingOptions model = SettingOptions.of(ModelShape.SETTINGS);

    /** The options of a scheduler of simulated ranks, which share blocks within a step. */
    static SettingOptions simulated()
    {
        return SettingOptions.of(SchedulerConfig.SETTINGS).byDefault(SchedulerConfig.SAME_STEP_SHARING, true)
            .defaultInWords(SchedulerConfig.KV_BLOCKS, POOL);
    }

    /** A builder with these options set. */
    static SchedulerConfig.Builder builder(final SettingOptions options)
    {
        final SchedulerConfig.Builder builder = SchedulerConfig.builder();
        options.forEach(builder::set);
        return options.isGiven(SchedulerConfig.KV_BLOCKS) ? builder :
            builder.kvBlocks(Math.max(2, POOL_TOKENS / options.get(SchedulerConfig.BLOCK_SIZE_TOKENS)));
    }

    @Override
    public List<SettingOptions> settings()
    {
        return List.of(router(), scheduler, model);
    }

    /** @throws ConfigException if another option makes the choice of an option. */
    public void refuseIdle(final ParseResult given)
    {
        if (routerConfig != null)
        {
            IdleOptions.refuse(given, "--router", "is a choice that --router-config makes");
            IdleOptions.refuse(given, "--beta", "is a choice that --router-config makes");
        }
    }

    public SchedulerConfig config(final DpRouters known)
    {
        return builder(scheduler)
            .router(chosen(routerConfig == null ? RouterConfig.standard() : RouterConfigFile.read(routerConfig), known))
            .capture(scheduler.get(SchedulerConfig.CAPTURE) ? shape() : null).build();
    }

    /** For ranks that compute the model. */
    public SchedulerConfig config(final DpRouters known, final DecoderPlan plan)
    {
        return ServingOptions.builder(scheduler, plan)
            .router(chosen(routerConfig == null ? RouterConfig.standard() : RouterConfigFile.read(routerConfig), known))
            .capture(scheduler.get(SchedulerConfig.CAPTURE) ?
                plan.shape().withCombineWeights(model.get(ModelShape.COMBINE_WEIGHTS)) : null).build();
    }

    /** The simulated ranks draw their rows from a table of expert sets; filling it takes longer with larger sets. */
    private ModelShape shape()
    {
        final int moeLayers = model.unchecked(ModelShape.MOE_LAYERS);
        final int topK = model.unchecked(ModelShape.TOP_K);
        final ModelShape plain = new ModelShape(moeLayers, model.unchecked(ModelShape.EXPERTS), topK)
            .withCombineWeights(model.get(ModelShape.COMBINE_WEIGHTS));
        final ModelShape shape = model.get(ModelShape.LAYER_IDS).map(plain::withLayerIds).orElse(plain);
        if (topK > MAX_TOP_K)
        {
            throw new ConfigException("--top-k=" + topK + " is above " + MAX_TOP_K +
                ", the most that the simulated ranks draw; give a smaller one, or --no-capture.");
        }
        if (shape.rowBytes() > MAX_ROW_BYTES)
        {
            throw new ConfigException("--moe-layers=" + moeLayers + " with --top-k=" + topK + " makes rows of " +
                shape.rowBytes() + " bytes, above the " + MAX_ROW_BYTES + " that the simulated ranks draw; give fewer " +
                "layers, a smaller --top-k, or --no-capture.");
        }
        return shape;
    }
}
