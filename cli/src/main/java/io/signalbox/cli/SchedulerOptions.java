// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.ConfigException;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.RouterPolicy;
import io.signalbox.scheduler.SchedulerConfig;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** What the scheduler's decisions depend on. */
final class SchedulerOptions
{
    /** KV cache of one rank, whatever the block size. */
    private static final int POOL_TOKENS = 1_048_576;
    private static final int MAX_TOP_K = 64;
    private static final int MAX_ROW_BYTES = 8192;

    @Option(names = "--ranks", paramLabel = "N", description = "Data-parallel ranks (default: ${DEFAULT-VALUE}).")
    private int ranks = 8;

    @Option(names = "--router", paramLabel = "POLICY", converter = RouterConverter.class,
        description = "default, kv-aware, kv-aware-pr or conversation (default: default).")
    private RouterPolicy router = RouterPolicy.DEFAULT;

    @Option(names = "--beta", paramLabel = "WEIGHT",
        description = "Weight of the load term of the kv-aware scores, 0 or more (default: ${DEFAULT-VALUE}).")
    private double beta = 1.0;

    @Option(names = "--router-config", paramLabel = "FILE",
        description = "Router and its knobs from a YAML file with TensorRT-LLM's attention_dp_config.")
    private String routerConfig;

    @Option(names = "--block-size", paramLabel = "TOKENS", description = "Tokens per KV block (default: ${DEFAULT-VALUE}).")
    private int blockSizeTokens = 16;

    @Option(names = "--kv-blocks", paramLabel = "N",
        description = "KV blocks of one rank's pool, one of them the dummy block (default: 1,048,576 tokens).")
    private Integer kvBlocks;

    @Option(names = "--eviction", paramLabel = "POLICY", converter = EvictionConverter.class,
        description = "lru: released blocks stay cached until room is short; ref-zero: they are freed at once " +
            "(default: lru).")
    private EvictionPolicy evictionPolicy = EvictionPolicy.LRU;

    @Option(names = "--no-prefix-caching", description = "Share no KV blocks between requests.")
    private boolean noPrefixCaching;

    @Option(names = "--max-running", paramLabel = "N",
        description = "Most requests running on one rank at a time (default: ${DEFAULT-VALUE}).")
    private int maxRunning = 256;

    @Option(names = "--max-queued", paramLabel = "N",
        description = "Most requests waiting for a rank; further ones are refused (default: ${DEFAULT-VALUE}).")
    private int maxQueued = 1 << 20;

    @Option(names = "--step-tokens", paramLabel = "N", description = "Token budget of one step (default: ${DEFAULT-VALUE}).")
    private int stepTokens = 8192;

    @Option(names = "--lock-step",
        description = "The ranks step together, each with an empty plan where it has nothing to compute.")
    private boolean lockStep;

    @Option(names = "--moe-layers", paramLabel = "N", description = "MoE layers of the model (default: ${DEFAULT-VALUE}).")
    private int moeLayers = 4;

    @Option(names = "--experts", paramLabel = "N", description = "Experts per layer (default: ${DEFAULT-VALUE}).")
    private int experts = 64;

    @Option(names = "--top-k", paramLabel = "N", description = "Experts per token and layer (default: ${DEFAULT-VALUE}).")
    private int topK = 2;

    @Option(names = "--no-capture", description = "Capture no routed experts.")
    private boolean noCapture;

    SchedulerConfig config()
    {
        if (blockSizeTokens < 1)
        {
            throw new ConfigException("--block-size=" + blockSizeTokens + " is not between 1 and " +
                SchedulerConfig.MAX_BLOCK_SIZE_TOKENS + "; give the tokens that one KV block holds.");
        }
        return OptionNames.translate(this::build);
    }

    private SchedulerConfig build()
    {
        return SchedulerConfig.builder()
            .ranks(ranks)
            .router(routerConfig == null ? RouterConfig.builder().policy(router).beta(beta).build() :
                RouterConfigFile.read(routerConfig))
            .blockSizeTokens(blockSizeTokens)
            .kvBlocks(kvBlocks == null ? Math.max(2, POOL_TOKENS / blockSizeTokens) : kvBlocks)
            .evictionPolicy(evictionPolicy)
            .prefixCaching(!noPrefixCaching)
            .maxRunning(maxRunning)
            .maxQueued(maxQueued)
            .stepTokens(stepTokens)
            .lockStep(lockStep)
            .capture(noCapture ? null : shape())
            .build();
    }

    /** The simulated ranks draw their rows from a table of sets, which takes the longer to fill the larger a set is. */
    private ModelShape shape()
    {
        final ModelShape shape = new ModelShape(moeLayers, experts, topK);
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

    static final class RouterConverter implements ITypeConverter<RouterPolicy>
    {
        @Override
        public RouterPolicy convert(final String value)
        {
            return OptionNames.translate(() -> RouterPolicy.of(value));
        }
    }

    static final class EvictionConverter implements ITypeConverter<EvictionPolicy>
    {
        @Override
        public EvictionPolicy convert(final String value)
        {
            switch (value)
            {
                case "lru":
                    return EvictionPolicy.LRU;
                case "ref-zero":
                    return EvictionPolicy.REF_ZERO;
                default:
                    throw new ConfigException("--eviction=" + value + " is not known; it is lru or ref-zero.");
            }
        }
    }
}
