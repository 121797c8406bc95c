// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.batch.AdmissionPromise;
import io.signalbox.batch.QueueOrder;
import io.signalbox.batch.TenantWeights;
import io.signalbox.batch.UnderPressure;
import io.signalbox.config.DoubleText;
import io.signalbox.config.Setting;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.BatchSettings;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.NumberText;
import picocli.CommandLine.Option;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Number of ranks and their batching; router, pool size and capture are options of the commands. */
class RankOptions
{
    /** KV cache of one rank, for every block size. */
    private static final int POOL_TOKENS = 1_048_576;
    private static final String BETA = "beta";
    private static final Pattern WORD = Pattern.compile("[A-Za-z][A-Za-z0-9_-]*");

    @Option(names = "--ranks", paramLabel = "N",
        description = "Simulate N data-parallel ranks (default: ${DEFAULT-VALUE}).")
    private int ranks = SchedulerConfig.RANKS.defaultValue();

    @Option(names = "--lock-step",
        description = "Step all ranks together; a rank without work gets an empty plan.")
    private boolean lockStep;

    @Option(names = "--block-size", paramLabel = "TOKENS",
        description = "Make KV blocks of this many tokens (default: ${DEFAULT-VALUE}).")
    private int blockSizeTokens = SchedulerConfig.BLOCK_SIZE_TOKENS.defaultValue();

    @Option(names = "--eviction", paramLabel = "POLICY", converter = Choice.Eviction.class,
        completionCandidates = Choice.Eviction.class,
        description = "Evict by POLICY: lru keeps released blocks cached until room is short; ref-zero frees them at once " +
            "(default: lru).")
    private EvictionPolicy evictionPolicy = SchedulerConfig.EVICTION_POLICY.defaultValue();

    @Option(names = "--no-prefix-caching", description = "Do not share KV blocks between requests.")
    private boolean noPrefixCaching;

    @Option(names = "--max-running", paramLabel = "N",
        description = "Run at most N requests on one rank at a time (default: ${DEFAULT-VALUE}).")
    private int maxRunning = SchedulerConfig.MAX_RUNNING.defaultValue();

    @Option(names = "--max-queued", paramLabel = "N",
        description = "Let at most N requests wait for a rank; refuse further ones (default: ${DEFAULT-VALUE}).")
    private int maxQueued = SchedulerConfig.MAX_QUEUED.defaultValue();

    @Option(names = "--step-tokens", paramLabel = "N",
        description = "Compute at most N tokens in one step (default: ${DEFAULT-VALUE}).")
    private int stepTokens = SchedulerConfig.STEP_TOKENS.defaultValue();

    @Option(names = "--depth", paramLabel = "N",
        description = "Keep up to N steps of a rank in flight, 1 to 4 (default: ${DEFAULT-VALUE}).")
    private int depth = SchedulerConfig.DEPTH.defaultValue();

    @Option(names = "--draft-tokens", paramLabel = "N",
        description = "Let each decoding request carry N draft tokens per step (default: ${DEFAULT-VALUE}).")
    private int draftTokens = SchedulerConfig.DRAFT_TOKENS.defaultValue();

    @Option(names = "--no-same-step-sharing",
        description = "Do not share blocks between requests whose prompts are computed in the same step.")
    private boolean noSameStepSharing;

    @Option(names = "--under-pressure", paramLabel = "WAY", converter = Choice.Pressure.class,
        completionCandidates = Choice.Pressure.class,
        description = "If a running request lacks a KV block: recompute preempts a request; pause lets the one that lacks " +
            "it wait with its blocks (default: recompute).")
    private UnderPressure underPressure = BatchSettings.UNDER_PRESSURE.defaultValue();

    @Option(names = "--paused-blocks", paramLabel = "N",
        description = "Let paused requests hold at most N blocks of a rank (default: ${DEFAULT-VALUE}).")
    private int pausedBlocks = BatchSettings.PAUSED_BLOCKS.defaultValue();

    @Option(names = "--max-preemptions", paramLabel = "N",
        description = "Preempt a request at most N times (default: ${DEFAULT-VALUE}).")
    private int maxPreemptions = BatchSettings.MAX_PREEMPTIONS.defaultValue();

    @Option(names = "--admission-promise", paramLabel = "BLOCKS", converter = Choice.Promise.class,
        completionCandidates = Choice.Promise.class,
        description = "Promise an admitted request nothing, or the blocks of its whole output (default: nothing).")
    private AdmissionPromise admissionPromise = BatchSettings.ADMISSION_PROMISE.defaultValue();

    @Option(names = "--watermark-blocks", paramLabel = "N",
        description = "Leave N blocks free when a request is admitted beside others (default: ${DEFAULT-VALUE}).")
    private int watermarkBlocks = BatchSettings.WATERMARK_BLOCKS.defaultValue();

    @Option(names = "--long-prefill-tokens", paramLabel = "N",
        description = "Compute at most N prompt tokens of one request in a step; 0: no limit (default: ${DEFAULT-VALUE}).")
    private int longPrefillTokens = BatchSettings.LONG_PREFILL_TOKENS.defaultValue();

    @Option(names = "--max-long-prefills", paramLabel = "N",
        description = "Compute at most N prompts in a step that have more than --long-prefill-tokens left (default: " +
            "${DEFAULT-VALUE}).")
    private int maxLongPrefills = BatchSettings.MAX_LONG_PREFILLS.defaultValue();

    @Option(names = "--queue-order", paramLabel = "ORDER", converter = Choice.Order.class,
        completionCandidates = Choice.Order.class,
        description = "Let requests of one priority leave the queue in this order: first-come, or fair between tenants " +
            "(default: first-come).")
    private QueueOrder queueOrder = BatchSettings.QUEUE_ORDER.defaultValue();

    @Option(names = "--tenant-weights", paramLabel = "NAME=WEIGHT", split = ",",
        description = "Give tenants these shares of the tokens with --queue-order fair; others have 1 (default: none).")
    private List<String> tenantWeights = List.of();

    @Option(names = "--max-tenants", paramLabel = "N",
        description = "Keep shares of N tenants; further ones have one together (default: ${DEFAULT-VALUE}).")
    private int maxTenants = BatchSettings.MAX_TENANTS.defaultValue();

    @Option(names = "--router-options", paramLabel = "NAME=VALUE", split = ",",
        description = "Set knobs of the router, such as reuseWeight=2,backlog=65536; --list-routers shows them.")
    private List<String> routerOptions = List.of();

    @Option(names = "--beta", paramLabel = "WEIGHT",
        description = "Weigh the load term of the kv-aware scores, 0 to 1e12 (default: 1.0).")
    private Double beta;

    @Option(names = Plugins.OPTION, paramLabel = "JAR", split = ",", description = Plugins.DESCRIPTION)
    @InputPath
    private List<String> plugins = List.of();

    @Option(names = "--list-routers", description = "Print the routers with their knobs, and exit.")
    private boolean listRouters;

    private DpRouters routers;

    /** Whether to only print the routers. */
    public final boolean listsRouters()
    {
        return listRouters;
    }

    /** The installed routers and those of {@code --plugins}. */
    public final DpRouters known()
    {
        routers = routers == null ? Plugins.routers(plugins) : routers;
        return routers;
    }

    /** Lets options that are not given have the values of a configuration; flags are left alone. */
    final void startWith(final SchedulerConfig config)
    {
        ranks = config.ranks();
        blockSizeTokens = config.blockSizeTokens();
        evictionPolicy = config.evictionPolicy();
        maxRunning = config.maxRunning();
        maxQueued = config.maxQueued();
        stepTokens = config.stepTokens();
        depth = config.depth();
        draftTokens = config.draftTokens();
        underPressure = config.get(BatchSettings.UNDER_PRESSURE);
        pausedBlocks = config.get(BatchSettings.PAUSED_BLOCKS);
        maxPreemptions = config.get(BatchSettings.MAX_PREEMPTIONS);
        admissionPromise = config.get(BatchSettings.ADMISSION_PROMISE);
        watermarkBlocks = config.get(BatchSettings.WATERMARK_BLOCKS);
        longPrefillTokens = config.get(BatchSettings.LONG_PREFILL_TOKENS);
        maxLongPrefills = config.get(BatchSettings.MAX_LONG_PREFILLS);
        queueOrder = config.get(BatchSettings.QUEUE_ORDER);
        final TenantWeights weights = config.get(BatchSettings.TENANT_WEIGHTS);
        tenantWeights = weights.equals(TenantWeights.EQUAL) ? List.of() :
            List.of(BatchSettings.TENANT_WEIGHTS.print(weights).split(","));
        maxTenants = config.get(BatchSettings.MAX_TENANTS);
    }

    final int blockSizeTokens()
    {
        return blockSizeTokens;
    }

    /** A builder with these options set, and with a pool of the default size. */
    final SchedulerConfig.Builder rankBuilder()
    {
        return set(SchedulerConfig.builder())
            .lockStep(lockStep)
            .prefixCaching(!noPrefixCaching)
            .sameStepSharing(!noSameStepSharing)
            .kvBlocks(Math.max(2, POOL_TOKENS / blockSizeTokens));
    }

    /** Sets what these options give, except for flags and the pool. */
    final SchedulerConfig.Builder set(final SchedulerConfig.Builder builder)
    {
        return builder
            .blockSizeTokens(blockSizeTokens)
            .ranks(ranks)
            .evictionPolicy(evictionPolicy)
            .maxRunning(maxRunning)
            .maxQueued(maxQueued)
            .stepTokens(stepTokens)
            .depth(depth)
            .draftTokens(draftTokens)
            .set(BatchSettings.UNDER_PRESSURE, underPressure)
            .set(BatchSettings.PAUSED_BLOCKS, pausedBlocks)
            .set(BatchSettings.MAX_PREEMPTIONS, maxPreemptions)
            .set(BatchSettings.ADMISSION_PROMISE, admissionPromise)
            .set(BatchSettings.WATERMARK_BLOCKS, watermarkBlocks)
            .set(BatchSettings.LONG_PREFILL_TOKENS, longPrefillTokens)
            .set(BatchSettings.MAX_LONG_PREFILLS, maxLongPrefills)
            .set(BatchSettings.QUEUE_ORDER, queueOrder)
            .set(BatchSettings.TENANT_WEIGHTS, tenantWeights.isEmpty() ? TenantWeights.EQUAL :
                BatchSettings.TENANT_WEIGHTS.parse(String.join(",", tenantWeights)))
            .set(BatchSettings.MAX_TENANTS, maxTenants);
    }

    /**
     * The routers with the knobs that {@code --beta} and {@code --router-options} set.
     *
     * @param chosen those that may decide; a knob that none of them reads is refused.
     */
    final List<RouterConfig> withOptions(final List<RouterConfig> chosen)
    {
        final Map<String, String> turned = new LinkedHashMap<>();
        for (final String option : routerOptions)
        {
            final int end = option.indexOf('=');
            final String knob = end < 0 ? option : option.substring(0, end);
            if (end < 0)
            {
                throw new ConfigException("--router-options: '" + option + "' is not NAME=VALUE; give the knob a value.");
            }
            requireRead(knob, chosen);
            requireValue(knob, option.substring(end + 1));
            if (knob.equals(BETA) && beta != null)
            {
                throw new ConfigException("--router-options names beta, which --beta gives as well; give it one value.");
            }
            if (turned.put(knob, option.substring(end + 1)) != null)
            {
                throw new ConfigException("--router-options names " + knob + " twice; give it one value.");
            }
        }
        List<RouterConfig> configs = chosen;
        for (final Map.Entry<String, String> knob : turned.entrySet())
        {
            configs = withOption(configs, knob.getKey(), knob.getValue());
        }
        return beta == null ? configs : withBeta(configs);
    }

    private List<RouterConfig> withBeta(final List<RouterConfig> configs)
    {
        if (!knobs(configs).contains(BETA))
        {
            throw new ConfigException("--beta weighs the scores of the kv-aware routers, and another one is chosen; " +
                "leave it out, or change the other.");
        }
        return with(configs, BETA, DoubleText.of(beta));
    }

    private static List<RouterConfig> withOption(
        final List<RouterConfig> configs, final String knob, final String value)
    {
        try
        {
            return with(configs, knob, value);
        }
        catch (final ConfigException e)
        {
            throw e.renamed(setting -> "--router-options " + setting);
        }
    }

    /** Gives the value to each router that has the knob. */
    private static List<RouterConfig> with(final List<RouterConfig> configs, final String knob, final String value)
    {
        return configs.stream().map(config -> knobs(List.of(config)).contains(knob) ? config.with(knob, value) : config)
            .toList();
    }

    /** A number of the options' grammar, or a word; the knob itself knows which words. */
    private static void requireValue(final String knob, final String value)
    {
        if (!NumberText.isNumber(value) && !WORD.matcher(value).matches())
        {
            throw new ConfigException("--router-options: " + knob + (value.isBlank() ? " has no value" : " has the value '" +
                value + "', which is neither a number nor a word") + "; give it one, such as " + knob + "=2.");
        }
    }

    private void requireRead(final String knob, final List<RouterConfig> chosen)
    {
        final List<String> read = knobs(chosen);
        if (read.contains(knob))
        {
            return;
        }
        final List<String> all = names(known().all().stream());
        if (!all.contains(knob))
        {
            throw new ConfigException("--router-options names '" + knob + "', which is no knob of a router; give some of " +
                String.join(", ", read.isEmpty() ? all : read) + ".");
        }
        final String deciding = chosen.size() == 1 ? "the " + chosen.get(0).label() + " router does not read" :
            "none of the compared routers reads";
        throw new ConfigException("--router-options names " + knob + ", which " + deciding + "; " +
            (read.isEmpty() ? "leave it out." : "give some of " + String.join(", ", read) + "."));
    }

    private static List<String> knobs(final List<RouterConfig> configs)
    {
        return names(configs.stream().map(RouterConfig::provider));
    }

    private static List<String> names(final Stream<DpRouterProvider> providers)
    {
        return providers.flatMap(provider -> provider.knobs().stream()).map(Setting::name).distinct().sorted().toList();
    }
}
