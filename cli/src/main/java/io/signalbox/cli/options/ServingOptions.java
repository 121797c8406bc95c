// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.config.SettingValues;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelMemory;
import io.signalbox.model.ModelWeights;
import io.signalbox.router.DpRouters;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.serving.BackendProvider;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** The backend that computes a model, and the scheduler before it. */
public final class ServingOptions
{
    private static final int POOL_TOKENS = 65_536;
    private static final int HEAP_SHARE = 4;
    private static final int MIN_BLOCKS = 2;

    @Option(names = "--backend", paramLabel = "LABEL",
        description = "Compute with this backend: cpu, or one of --plugins (default: ${DEFAULT-VALUE}).")
    private String backend = "cpu";

    @Option(names = "--backend-options", paramLabel = "NAME=VALUE", split = ",",
        description = "Set knobs of the backend, such as threads=2,precision=BF16 of the cpu backend.")
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

    @Option(names = Plugins.OPTION, paramLabel = "JAR", split = ",",
        description = "Add the routers and backends of these jars.")
    private List<String> plugins = List.of();

    private DpRouters routers;

    /** The installed routers and those of {@code --plugins}. */
    public DpRouters knownRouters()
    {
        routers = routers == null ? Plugins.routers(Plugins.without(plugins, BackendProvider.class)) : routers;
        return routers;
    }

    /** Whether routed experts are captured. */
    public boolean captures()
    {
        return !noCapture;
    }

    /** @throws ConfigException if the file of an output option is one that these options read. */
    public void requireNotRead(final String option, final Path file)
    {
        Plugins.requireNotRead(option, file, plugins);
    }

    public SchedulerConfig config(final DecoderPlan plan)
    {
        SchedulerConfig.RANKS.check(ranks);
        SchedulerConfig.BLOCK_SIZE_TOKENS.check(blockSizeTokens);
        return SchedulerConfig.builder()
            .ranks(ranks)
            .router(router == null ? RouterConfig.standard() : RouterConfig.of(knownRouters().of(router)))
            .depth(depth)
            .blockSizeTokens(blockSizeTokens)
            .kvBlocks(kvBlocks == null ? defaultBlocks(plan) : kvBlocks)
            .stepTokens(stepTokens)
            .maxRunning(maxRunning)
            .prefixCaching(!noPrefixCaching)
            .capture(noCapture ? null : plan.shape())
            .build();
    }

    private int defaultBlocks(final DecoderPlan plan)
    {
        final long tokenBytes = ModelMemory.of(plan, 1).kvBytes();
        final long fitting = Runtime.getRuntime().maxMemory() / HEAP_SHARE / tokenBytes / ranks;
        return (int)Math.max(MIN_BLOCKS, Math.min(POOL_TOKENS, fitting) / blockSizeTokens);
    }

    /** A backend that was not started; its clock is that of the engine. */
    public Backend backend(final ModelWeights weights, final LongSupplier clock)
    {
        final BackendProvider provider = provider();
        return provider.create(weights, values(provider), clock);
    }

    /** The backend in a run description. */
    public Map<String, String> settings()
    {
        final BackendProvider provider = provider();
        final Map<String, String> settings = values(provider).print("run.backend.");
        settings.put("run.backend", provider.label());
        return settings;
    }

    private BackendProvider provider()
    {
        return Plugins.backends(plugins).of(backend);
    }

    private SettingValues values(final BackendProvider provider)
    {
        SettingValues values = provider.defaults();
        for (final String option : backendOptions)
        {
            final int equals = option.indexOf('=');
            if (equals < 1)
            {
                throw new ConfigException("--backend-options has '" + option +
                    "', which is no NAME=VALUE; give such as threads=2.");
            }
            try
            {
                values = values.with(option.substring(0, equals).strip(), option.substring(equals + 1).strip());
            }
            catch (final ConfigException e)
            {
                throw e.at("--backend-options");
            }
        }
        return values;
    }
}
