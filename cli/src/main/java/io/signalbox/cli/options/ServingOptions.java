// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.MachineMemory;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelMemory;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.serving.BackendProvider;
import io.signalbox.serving.TokenizerProvider;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;

/** The backend that computes a model, and the scheduler before it. */
public final class ServingOptions
{
    private static final int POOL_TOKENS = 65_536;
    private static final int HEAP_SHARE = 4;
    private static final int MIN_BLOCKS = 2;

    @Option(names = "--backend", paramLabel = "LABEL",
        description = "Compute with this backend: cpu, cuda, or one of --plugins (default: ${DEFAULT-VALUE}).")
    private String backend = "cpu";

    @Option(names = "--backend-options", paramLabel = "NAME=VALUE", split = ",",
        description = "Set knobs of the backend, such as threads=2,precision=BF16 of the cpu backend.")
    @InputPath(PathInValue.AfterEquals.class)
    private List<String> backendOptions = List.of();

    @Option(names = "--ranks", paramLabel = "N",
        description = "Run N data-parallel ranks, which share the weights (default: ${DEFAULT-VALUE}).")
    private int ranks = 1;

    @Option(names = "--router", paramLabel = "LABEL",
        description = "Choose ranks with this router: ${COMPLETION-CANDIDATES}, or one of --plugins " +
            "(default: signalbox).",
        completionCandidates = ComparedSchedulers.Labels.class)
    private String router;

    @Option(names = "--depth", paramLabel = "N",
        description = "Keep up to N steps of a rank in flight, 1 to 4 (default: ${DEFAULT-VALUE}).")
    private int depth = SchedulerConfig.DEPTH.defaultValue();

    @Option(names = "--draft-tokens", paramLabel = "N",
        description = "Let each decoding request carry N draft tokens per step (default: ${DEFAULT-VALUE}).")
    private int draftTokens = SchedulerConfig.DRAFT_TOKENS.defaultValue();

    @Option(names = "--kv-blocks", paramLabel = "N",
        description = "Give each rank N KV blocks, one of them the dummy block (default: 65,536 tokens, or a quarter of " +
            "the heap for all ranks if that is less).")
    private Integer kvBlocks;

    @Option(names = "--block-size", paramLabel = "TOKENS",
        description = "Make KV blocks of this many tokens (default: ${DEFAULT-VALUE}).")
    private int blockSizeTokens = SchedulerConfig.BLOCK_SIZE_TOKENS.defaultValue();

    @Option(names = "--step-tokens", paramLabel = "N",
        description = "Compute at most N tokens in one step (default: ${DEFAULT-VALUE}).")
    private int stepTokens = 512;

    @Option(names = "--max-running", paramLabel = "N",
        description = "Run at most N requests on one rank at a time (default: ${DEFAULT-VALUE}).")
    private int maxRunning = SchedulerConfig.MAX_RUNNING.defaultValue();

    @Option(names = "--no-prefix-caching", description = "Do not share KV blocks between requests.")
    private boolean noPrefixCaching;

    @Option(names = "--no-capture", description = "Do not capture routed experts.")
    private boolean noCapture;

    @Option(names = "--combine-weights",
        description = "Capture the weight of each routed expert's output as well; --experts then writes them, too.")
    private boolean combineWeights;

    @Option(names = Plugins.OPTION, paramLabel = "JAR", split = ",",
        description = "Add the routers, backends and tokenizers of these jars.")
    @InputPath
    private List<String> plugins = List.of();

    private DpRouters routers;

    /** The installed routers and those of {@code --plugins}. */
    public DpRouters knownRouters()
    {
        routers = routers == null ?
            Plugins.routers(Plugins.without(plugins, BackendProvider.class, TokenizerProvider.class)) : routers;
        return routers;
    }

    /** Whether routed experts are captured. */
    public boolean captures()
    {
        return !noCapture;
    }

    /** @throws ConfigException if a value is not allowed, or options exclude each other. */
    public SchedulerConfig config(final DecoderPlan plan)
    {
        if (noCapture && combineWeights)
        {
            throw new ConfigException("--combine-weights and --no-capture exclude each other; leave one of them out.");
        }
        SchedulerConfig.RANKS.check(ranks);
        SchedulerConfig.BLOCK_SIZE_TOKENS.check(blockSizeTokens);
        return SchedulerConfig.builder()
            .ranks(ranks)
            .router(router == null ? RouterConfig.standard() : RouterConfig.of(knownRouters().of(router)))
            .depth(depth)
            .draftTokens(draftTokens)
            .blockSizeTokens(blockSizeTokens)
            .kvBlocks(kvBlocks == null ? defaultBlocks(plan) : kvBlocks)
            .stepTokens(stepTokens)
            .maxRunning(maxRunning)
            .prefixCaching(!noPrefixCaching)
            .capture(noCapture ? null : plan.shape().withCombineWeights(combineWeights))
            .build();
    }

    private int defaultBlocks(final DecoderPlan plan)
    {
        final long blockBytes = ModelMemory.kvBlockBytes(plan, blockSizeTokens);
        final long fitting = MachineMemory.limits().usableHeap() / HEAP_SHARE / blockBytes / ranks;
        return (int)Math.max(MIN_BLOCKS, Math.min(POOL_TOKENS / blockSizeTokens, fitting));
    }

    /** The backend with its knobs. */
    public ChosenBackend backend()
    {
        return ChosenBackend.of(backend, backendOptions, plugins);
    }

    /** @throws ConfigException if a jar of {@code --plugins} cannot be used: before the run, and not at its end. */
    public void checkPlugins()
    {
        Plugins.requireAnyService(plugins, DpRouterProvider.class, BackendProvider.class, TokenizerProvider.class);
        if (!plugins.isEmpty())
        {
            knownRouters();
        }
    }

    /**
     * A tokenizer that opens its file when it is first used.
     *
     * @param file {@code null}: none belongs to the model.
     */
    public PromptTokenizer tokenizer(final Path file, final DecoderPlan plan)
    {
        return new PromptTokenizer(plugins, file, plan.vocabulary());
    }
}
