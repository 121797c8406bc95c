// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockConfig;
import io.signalbox.kv.hash.BlockHashFunction;
import io.signalbox.router.DpRouters;
import io.signalbox.router.RouterConfig;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Everything that the scheduler's decisions depend on. It is the part of the run description from which replay
 * builds its scheduler: {@link #settings()} and {@link #of(Map)} are inverse.
 */
public final class SchedulerConfig
{
    /** More ranks than any attention-DP deployment has; bounds the candidates of a decision record. */
    private static final int MAX_RANKS = 1024;
    public static final int MAX_DEPTH = 4;
    public static final int MAX_DRAFT_TOKENS = 63;

    /** Begins the names of its settings in a run description. */
    public static final String PREFIX = "scheduler.";

    public static final Setting<Integer> RANKS =
        Setting.integer("ranks", "", 8, 1, MAX_RANKS, "Data-parallel ranks.")
        .option("--ranks", "N", "Run N data-parallel ranks")
        .elsewhere("data_parallel_size", "dp_size", "tensor_parallel_size with enable_attention_dp");
    public static final Setting<Integer> KV_BLOCKS = Setting.integer("kvBlocks", "blocks", 65_536, 2,
        KvBlockConfig.MAX_POOL_SIZE, "KV blocks of one rank's pool, the dummy block included.")
        .option("--kv-blocks", "N", "Give each rank's pool N KV blocks, one of them the dummy block")
        .elsewhere("num_gpu_blocks_override", "max_total_tokens (tokens)", "kv_cache_config.max_tokens (tokens)");
    public static final Setting<Integer> BLOCK_SIZE_TOKENS = Setting.integer("blockSizeTokens", "tokens", 16, 1,
        65_536, "Tokens that one KV block holds.")
        .option("--block-size", "TOKENS", "Make KV blocks of this many tokens")
        .elsewhere("block_size", "page_size", "kv_cache_config.tokens_per_block");
    public static final Setting<Boolean> PREFIX_CACHING =
        Setting.flag("prefixCaching", true, "Whether requests share the KV blocks of equal prefixes.")
        .option("--prefix-caching", "Share KV blocks between requests")
        .elsewhere("enable_prefix_caching", "disable_radix_cache (inverse)", "kv_cache_config.enable_block_reuse");
    public static final Setting<EvictionPolicy> EVICTION_POLICY = Setting.constant("evictionPolicy", EvictionPolicy.LRU,
        "LRU keeps released blocks cached until room is short; REF_ZERO frees them at once.")
        .option("--eviction", "POLICY",
            "Evict by POLICY: lru keeps released blocks cached until room is short; ref-zero frees them at once")
        .onlyWith(PREFIX_CACHING).elsewhere("", "radix_eviction_policy", "");
    public static final Setting<BlockHashFunction> BLOCK_HASH =
        Setting.constant("blockHash", BlockHashFunction.SHA_256,
            "Hash function of full blocks: the clients' and those that decoding fills.").omitted(BlockHashFunction.SHA_256)
        .elsewhere("prefix_caching_hash_algo", "", "");
    public static final Setting<Integer> MAX_RUNNING = Setting.integer("maxRunning", "requests", 256, 1,
        65_536, "Most requests that run on one rank at a time.")
        .option("--max-running", "N", "Run at most N requests on one rank at a time")
        .elsewhere("max_num_seqs", "max_running_requests", "max_batch_size");
    public static final Setting<Integer> MAX_QUEUED = Setting.integer("maxQueued", "requests", 1 << 20, 1,
        Integer.MAX_VALUE, "Most requests that wait for a rank; further ones are refused.")
        .option("--max-queued", "N", "Let at most N requests wait for a rank; refuse further ones")
        .elsewhere("", "max_queued_requests", "");
    public static final Setting<Integer> STEP_TOKENS =
        Setting.integer("stepTokens", "tokens", 8192, 1, 1 << 24, "Token budget of one step of one rank.")
        .option("--step-tokens", "N", "Compute at most N tokens in one step")
        .elsewhere("max_num_batched_tokens", "chunked_prefill_size", "max_num_tokens");
    public static final Setting<Boolean> LOCK_STEP = Setting.flag("lockStep", false,
        "Whether all ranks step together; a rank without work gets an empty plan.").omitted(false)
        .option("--lock-step", "Step all ranks together; a rank without work gets an empty plan")
        .elsewhere("", "enable_dp_attention", "enable_attention_dp");
    public static final Setting<Boolean> CAPTURE = ModelShape.CAPTURE;
    public static final Setting<Integer> DIGEST_INTERVAL = Setting.integer("digestInterval", "inputs", 4096, 1,
        Integer.MAX_VALUE, "Inputs from one digest of the state to the next.");
    public static final Setting<Integer> MAX_FAILURES = Setting.integer("maxFailures", "steps", 8, 0, Integer.MAX_VALUE,
        "Failed steps of a request alone after which it ends as FAILED if it got nowhere in between; the requests of a " +
            "failed step are tried again in halves. 0: none end, and nothing is halved.").omitted(0);
    public static final Setting<Integer> BACK_OFF_NANOS = Setting.integer("backOffNanos", "ns", 1_000_000, 0,
        1_000_000_000, "Rest of a rank after the second failed step in a row; it doubles with each further one, up " +
            "to 64 times. 0: none.").omitted(0);
    public static final Setting<Integer> DEPTH = Setting.integer("depth", "steps", 1, 1, MAX_DEPTH,
        "Most steps of a rank in flight; the next one is planned and launched while earlier ones run. If none is given, a " +
            "ThreadedEngine has 2, unless its backend takes fewer.")
        .option("--steps-in-flight", "N", "Keep up to N steps of a rank in flight, 1 to 4")
        .formerly("--depth")
        .elsewhere("async_scheduling (2 steps)", "disable_overlap_schedule (1 step)", "disable_overlap_scheduler (1 step)");
    public static final Setting<Integer> DRAFT_TOKENS = Setting.integer("draftTokens", "tokens", 0, 0, MAX_DRAFT_TOKENS,
        "Draft tokens that an entry of a step may carry besides the token that it must feed.")
        .option("--draft-tokens", "N", "Let each decoding request carry N draft tokens per step")
        .elsewhere("speculative_config.num_speculative_tokens", "speculative_num_draft_tokens",
            "speculative_config.max_draft_len");
    public static final Setting<Integer> KV_GROUPS = Setting.integer("kvGroups", "groups", 1, 1, 1,
        "Groups of layers of the model with a block table each, as hybrid models have them.")
        .remedy("give 1: block tables for several KV groups are not built").omitted(1);
    public static final Setting<Boolean> RANKS_RETURN = Setting.flag("ranksReturn", false,
        "Whether lost ranks may be reset, so that requests wait while all ranks are lost; else they fail.").omitted(false);
    public static final Setting<Boolean> SAME_STEP_SHARING = Setting.flag("sameStepSharing", false,
        "Whether requests share blocks that an earlier entry of the same step computes; needs a backend that writes keys " +
            "and values of a step before it reads any.")
        .option("--same-step-sharing", "Share blocks between requests whose prompts are computed in the same step")
        .onlyWith(PREFIX_CACHING);
    public static final List<Setting<?>> SETTINGS = Stream.concat(
        Stream.<Setting<?>>of(RANKS, KV_BLOCKS, BLOCK_SIZE_TOKENS, EVICTION_POLICY, PREFIX_CACHING, BLOCK_HASH, MAX_RUNNING,
            MAX_QUEUED, STEP_TOKENS, LOCK_STEP, CAPTURE, DIGEST_INTERVAL, MAX_FAILURES, BACK_OFF_NANOS, DEPTH, DRAFT_TOKENS,
            KV_GROUPS, RANKS_RETURN, SAME_STEP_SHARING),
        BatchSettings.ALL.stream()).toList();

    private final SettingValues values;
    private final RouterConfig router;
    private final ModelShape capture;
    private final int ranks;
    private final int kvBlocks;
    private final int blockSizeTokens;
    private final EvictionPolicy evictionPolicy;
    private final boolean prefixCaching;
    private final int maxRunning;
    private final int maxQueued;
    private final int stepTokens;
    private final boolean lockStep;
    private final int digestInterval;
    private final boolean depthGiven;

    private SchedulerConfig(
        final SettingValues values, final RouterConfig router, final ModelShape capture, final boolean depthGiven)
    {
        this.depthGiven = depthGiven;
        this.values = values;
        this.router = router;
        this.capture = capture;
        ranks = values.get(RANKS);
        kvBlocks = values.get(KV_BLOCKS);
        blockSizeTokens = values.get(BLOCK_SIZE_TOKENS);
        evictionPolicy = values.get(EVICTION_POLICY);
        prefixCaching = values.get(PREFIX_CACHING);
        maxRunning = values.get(MAX_RUNNING);
        maxQueued = values.get(MAX_QUEUED);
        stepTokens = values.get(STEP_TOKENS);
        lockStep = values.get(LOCK_STEP);
        digestInterval = values.get(DIGEST_INTERVAL);
        new SettingsFit(this).check();
    }

    public static Builder builder()
    {
        return new Builder(SettingValues.defaults("the scheduler", SETTINGS), RouterConfig.standard(), null, false);
    }

    /** A builder that starts from these settings. */
    public Builder toBuilder()
    {
        return new Builder(values, router, capture, depthGiven);
    }

    public int ranks()
    {
        return ranks;
    }

    /** KV blocks of one rank's pool, the dummy block included. */
    public int kvBlocks()
    {
        return kvBlocks;
    }

    public int blockSizeTokens()
    {
        return blockSizeTokens;
    }

    public EvictionPolicy evictionPolicy()
    {
        return evictionPolicy;
    }

    public boolean prefixCaching()
    {
        return prefixCaching;
    }

    /**
     * Hash function of the clients, and of the blocks that decoding fills. The scheduler does not check the clients' hashes,
     * and a workload may have others; prompts hashed by two functions never share a block.
     */
    public BlockHashFunction blockHash()
    {
        return values.get(BLOCK_HASH);
    }

    /** The same for a run that begins, also if the run that it was read from had an earlier version of its router. */
    public SchedulerConfig withInstalledRouter()
    {
        return toBuilder().router(router.installed()).build();
    }

    /** The same for an engine that continues a run. @param settings the run description. */
    public SchedulerConfig begunAs(final Map<String, String> settings)
    {
        return toBuilder().router(router.begunAs(settings)).build();
    }

    /** Label of the router that decides: of the fallback if that is needed without prefix caching. */
    public String routerLabel(final boolean prefixCaching)
    {
        return router().deciding(prefixCaching).label();
    }

    /** The router that chooses a rank, with its knobs. */
    public RouterConfig router()
    {
        return router;
    }

    /** Most requests that run on one rank at a time. */
    public int maxRunning()
    {
        return maxRunning;
    }

    /** Most requests that wait for a rank; further ones are refused. */
    public int maxQueued()
    {
        return maxQueued;
    }

    /** Token budget of one step of one rank. */
    public int stepTokens()
    {
        return stepTokens;
    }

    /**
     * Whether the ranks step together, as attention-DP ranks of one MoE model do: every rank that is not lost takes part
     * in every step, with an empty plan if it has nothing to compute, and no rank begins a step before all have ended
     * the last one.
     */
    public boolean lockStep()
    {
        return lockStep;
    }

    /** The shape of the rows to capture, or {@code null} if capture is off. */
    public ModelShape capture()
    {
        return capture;
    }

    /** Inputs from one Digest to the next. */
    public int digestInterval()
    {
        return digestInterval;
    }

    /**
     * Failed steps in a row after which a request that got nowhere in between ends as FAILED; 0: none.
     */
    public int maxFailures()
    {
        return values.get(MAX_FAILURES);
    }

    /**
     * How long a rank rests after the second failed step in a row, on the clock of the inputs; twice as long after each
     * further one, up to 64 times as long. 0: it never rests.
     */
    public int backOffNanos()
    {
        return values.get(BACK_OFF_NANOS);
    }

    /** Most steps of a rank in flight. The next one is planned and launched while earlier ones run. */
    public int depth()
    {
        return values.get(DEPTH);
    }

    /** Whether {@link #depth()} was given, or is the default, which an engine may replace by another one. */
    public boolean isDepthGiven()
    {
        return depthGiven;
    }

    /** Draft tokens that an entry may carry besides the token that it must feed; 0: none. */
    public int draftTokens()
    {
        return values.get(DRAFT_TOKENS);
    }

    /** Whether requests wait for the reset of a rank while all ranks are lost; otherwise they fail. */
    public boolean ranksReturn()
    {
        return values.get(RANKS_RETURN);
    }

    /** Whether requests share blocks that an earlier entry of the same step computes. */
    public boolean sameStepSharing()
    {
        return values.get(SAME_STEP_SHARING);
    }

    /** The value of one of {@link #SETTINGS}. */
    public <T> T get(final Setting<T> setting)
    {
        return values.get(setting);
    }

    /** The settings that differ from their defaults. */
    @Override
    public String toString()
    {
        return "SchedulerConfig" + values + " with the router " + router + (capture == null ? "" : ", captures " + capture);
    }

    /** Name and value of every setting, sorted by name; without turns of suspects, as older run descriptions. */
    public Map<String, String> settings()
    {
        final Map<String, String> settings = values.print(PREFIX);
        if (!get(BatchSettings.SUSPECT_TURNS))
        {
            settings.remove(PREFIX + BatchSettings.SUSPECT_TURNS.name());
        }
        settings.putAll(router.settings());
        if (capture != null)
        {
            settings.putAll(capture.settings());
        }
        return settings;
    }

    /** Values that a run description means if it omits the setting: texts by the setting's name in it. */
    public static Map<String, String> omittedSettings()
    {
        final Map<String, String> omitted = new TreeMap<>();
        SETTINGS.forEach(setting -> setting.omitted().ifPresent(text -> omitted.put(PREFIX + setting.name(), text)));
        return omitted;
    }

    /** Reads what {@link #settings()} wrote, with the installed routers. */
    public static SchedulerConfig of(final Map<String, String> settings)
    {
        return of(settings, DpRouters.installed());
    }

    /**
     * Reads what {@link #settings()} wrote; names of other objects are left alone. Older run descriptions omit
     * {@code blockHash}, {@code lockStep}, {@code maxFailures}, {@code backOffNanos} and {@code suspectTurns}: they used
     * SHA-256, ranks stepped independently, failed steps were repeated at once, without a bound, and suspects took no turns.
     *
     * @param routers those that the settings may name.
     * @throws io.signalbox.router.AbsentRouterException if they name another router, or another version.
     * @throws ConfigException if a setting is missing or unknown, or has a value that is not allowed.
     */
    public static SchedulerConfig of(final Map<String, String> settings, final DpRouters routers)
    {
        final SettingValues values = builder().values.read(PREFIX, settings);
        final ModelShape capture = values.get(CAPTURE) ? ModelShape.of(settings) : null;
        return new SchedulerConfig(values, RouterConfig.of(settings, routers), capture, true);
    }

    /** Collects settings, each checked when it is given; {@link #build()} checks that they fit each other. */
    public static final class Builder
    {
        private SettingValues values;
        private RouterConfig router;
        private ModelShape capture;
        private boolean depthGiven;

        private Builder(
            final SettingValues values, final RouterConfig router, final ModelShape capture, final boolean depthGiven)
        {
            this.depthGiven = depthGiven;
            this.values = values;
            this.router = router;
            this.capture = capture;
        }

        /** Sets one of {@link #SETTINGS}. */
        public <T> Builder set(final Setting<T> setting, final T value)
        {
            depthGiven |= setting.name().equals(DEPTH.name());
            values = values.with(setting, value);
            return this;
        }

        public Builder ranks(final int value)
        {
            return set(RANKS, value);
        }

        public Builder kvBlocks(final int value)
        {
            return set(KV_BLOCKS, value);
        }

        public Builder blockSizeTokens(final int value)
        {
            return set(BLOCK_SIZE_TOKENS, value);
        }

        public Builder evictionPolicy(final EvictionPolicy value)
        {
            return set(EVICTION_POLICY, value);
        }

        public Builder prefixCaching(final boolean value)
        {
            return set(PREFIX_CACHING, value);
        }

        public Builder blockHash(final BlockHashFunction value)
        {
            return set(BLOCK_HASH, value);
        }

        public Builder router(final RouterConfig value)
        {
            if (value == null)
            {
                throw ConfigException.of("router", "null", "a router with its knobs", "give one");
            }
            router = value;
            return this;
        }

        /**
         * An installed router with its default knobs.
         *
         * @throws ConfigException if no installed router has this label.
         */
        public Builder router(final String label)
        {
            return router(RouterConfig.of(label));
        }

        public Builder maxRunning(final int value)
        {
            return set(MAX_RUNNING, value);
        }

        public Builder maxQueued(final int value)
        {
            return set(MAX_QUEUED, value);
        }

        public Builder stepTokens(final int value)
        {
            return set(STEP_TOKENS, value);
        }

        public Builder lockStep(final boolean value)
        {
            return set(LOCK_STEP, value);
        }

        /** @param value the shape of the rows to capture; {@code null} turns capture off. */
        public Builder capture(final ModelShape value)
        {
            capture = value;
            return set(CAPTURE, value != null);
        }

        public Builder digestInterval(final int value)
        {
            return set(DIGEST_INTERVAL, value);
        }

        public Builder maxFailures(final int value)
        {
            return set(MAX_FAILURES, value);
        }

        public Builder backOffNanos(final int value)
        {
            return set(BACK_OFF_NANOS, value);
        }

        public Builder depth(final int value)
        {
            return set(DEPTH, value);
        }

        public Builder draftTokens(final int value)
        {
            return set(DRAFT_TOKENS, value);
        }

        /** @param value 1; a model with several KV groups is refused. */
        public Builder kvGroups(final int value)
        {
            return set(KV_GROUPS, value);
        }

        public Builder ranksReturn(final boolean value)
        {
            return set(RANKS_RETURN, value);
        }

        public Builder sameStepSharing(final boolean value)
        {
            return set(SAME_STEP_SHARING, value);
        }

        public SchedulerConfig build()
        {
            return new SchedulerConfig(values, router, capture, depthGiven);
        }
    }
}
