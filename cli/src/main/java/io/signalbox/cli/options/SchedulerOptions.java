// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.experts.ModelShape;
import io.signalbox.router.DpRouters;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import picocli.CommandLine.Option;

import java.util.List;

/** The scheduler's configuration. */
public final class SchedulerOptions extends RankOptions
{
    private static final int MAX_TOP_K = 64;
    private static final int MAX_ROW_BYTES = 8192;

    @Option(names = "--router", paramLabel = "LABEL",
        description = "Choose ranks with this router: ${COMPLETION-CANDIDATES}, or one of --plugins " +
            "(default: signalbox).",
        completionCandidates = ComparedSchedulers.Labels.class)
    private String router;

    @Option(names = "--router-config", paramLabel = "FILE",
        description = "Read the router and its knobs from a YAML file with TensorRT-LLM's attention_dp_config.")
    @InputPath
    private String routerConfig;

    @Option(names = "--kv-blocks", paramLabel = "N",
        description = "Give each rank's pool N KV blocks, one of them the dummy block (default: 1,048,576 tokens).")
    private Integer kvBlocks;

    @Option(names = "--moe-layers", paramLabel = "N",
        description = "Simulate a model with N MoE layers (default: ${DEFAULT-VALUE}).")
    private int moeLayers = ModelShape.MOE_LAYERS.defaultValue();

    @Option(names = "--layer-ids", paramLabel = "LAYERS",
        description = "Name the layers of the model that these are, such as 3-60 or 1,3,5 (default: ${DEFAULT-VALUE}).")
    private String layerIds = ModelShape.LAYER_IDS.print(ModelShape.LAYER_IDS.defaultValue());

    @Option(names = "--experts", paramLabel = "N",
        description = "Give each layer N experts (default: ${DEFAULT-VALUE}).")
    private int experts = ModelShape.EXPERTS.defaultValue();

    @Option(names = "--top-k", paramLabel = "N",
        description = "Route each token to N experts per layer (default: ${DEFAULT-VALUE}).")
    private int topK = ModelShape.TOP_K.defaultValue();

    @Option(names = "--combine-weights",
        description = "Capture the combine weight of each routed expert beside its id.")
    private boolean combineWeights;

    @Option(names = "--no-capture", description = "Do not capture routed experts.")
    private boolean noCapture;

    public SchedulerConfig config()
    {
        final SchedulerConfig.Builder builder = rankBuilder().router(router()).capture(noCapture ? null : shape());
        return (kvBlocks == null ? builder : builder.kvBlocks(kvBlocks)).build();
    }

    private RouterConfig router()
    {
        return withOptions(List.of(chosenRouter())).get(0);
    }

    private RouterConfig chosenRouter()
    {
        final DpRouters known = known();
        if (routerConfig != null)
        {
            return RouterConfigFile.read(routerConfig);
        }
        return router == null ? RouterConfig.standard() : RouterConfig.of(known.of(router));
    }

    /** The simulated ranks draw their rows from a table of expert sets; filling it takes longer with larger sets. */
    private ModelShape shape()
    {
        final ModelShape plain = new ModelShape(moeLayers, experts, topK).withCombineWeights(combineWeights);
        final ModelShape shape = ModelShape.LAYER_IDS.parse(layerIds).map(plain::withLayerIds).orElse(plain);
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
