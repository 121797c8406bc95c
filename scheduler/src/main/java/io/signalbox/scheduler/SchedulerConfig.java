// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.ConfigException;
import io.signalbox.Settings;
import io.signalbox.experts.ExpertIdType;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.hash.BlockHashFunction;
import io.signalbox.router.DpRouters;
import io.signalbox.router.RouterConfig;

import java.util.Map;
import java.util.TreeMap;

/**
 * Everything that the scheduler's decisions depend on. It is the part of the run description from which replay
 * builds its scheduler: {@link #settings()} and {@link #of(Map)} are inverse. One file, because each setting has a field, a
 * check, a text and a method of the builder.
 */
public final class SchedulerConfig
{
    /** More ranks than any attention-DP deployment has; bounds the candidates of a decision record. */
    public static final int MAX_RANKS = 1024;
    public static final int MAX_BLOCK_SIZE_TOKENS = 65_536;
    /** The allocator's largest pool. */
    public static final int MAX_KV_BLOCKS = 16_777_216;
    public static final int MAX_RUNNING = 65_536;
    /** Block table changes that one step may lead to by computing tokens; keeps a Schedule far below a group's bound. */
    public static final int MAX_STEP_BLOCKS = 262_144;
    /** Routed-expert rows of one step, and of one KV block. */
    public static final int MAX_ROWS_BYTES = 1 << 30;
    public static final int MAX_BACK_OFF_NANOS = 1_000_000_000;
    /** Backends capture expert ids as int16. */
    public static final int MAX_CAPTURED_EXPERTS = ExpertIdType.INT16.maxExperts();

    private final int ranks;
    private final int kvBlocks;
    private final int blockSizeTokens;
    private final EvictionPolicy evictionPolicy;
    private final boolean prefixCaching;
    private final BlockHashFunction blockHash;
    private final RouterConfig router;
    private final int maxRunning;
    private final int maxQueued;
    private final int stepTokens;
    private final boolean lockStep;
    private final ModelShape capture;
    private final int digestInterval;
    private final int maxFailures;
    private final int backOffNanos;

    private SchedulerConfig(final Builder builder)
    {
        ranks = inRange("ranks", builder.ranks, 1, MAX_RANKS);
        blockSizeTokens = inRange("blockSizeTokens", builder.blockSizeTokens, 1, MAX_BLOCK_SIZE_TOKENS);
        kvBlocks = inRange("kvBlocks", builder.kvBlocks, 2, MAX_KV_BLOCKS);
        maxRunning = inRange("maxRunning", builder.maxRunning, 1, MAX_RUNNING);
        maxQueued = inRange("maxQueued", builder.maxQueued, 1, Integer.MAX_VALUE);
        stepTokens = inRange("stepTokens", builder.stepTokens, 1, 1 << 24);
        digestInterval = inRange("digestInterval", builder.digestInterval, 1, Integer.MAX_VALUE);
        maxFailures = inRange("maxFailures", builder.maxFailures, 0, Integer.MAX_VALUE);
        backOffNanos = inRange("backOffNanos", builder.backOffNanos, 0, MAX_BACK_OFF_NANOS);
        router = builder.router;
        evictionPolicy = builder.evictionPolicy;
        prefixCaching = builder.prefixCaching;
        blockHash = builder.blockHash;
        if (blockSizeTokens > blockHash.maxBlockSizeTokens())
        {
            throw new ConfigException("blockSizeTokens=" + blockSizeTokens + " is more than the " +
                blockHash.maxBlockSizeTokens() + " that blockHash=" + blockHash + " takes; give blockHash=" +
                BlockHashFunction.SHA_256 + " or smaller blocks.");
        }
        lockStep = builder.lockStep;
        capture = builder.capture;
        checkSnapshot();
        checkStepBlocks();
        checkExperts();
        checkRowsBytes("blockSizeTokens", blockSizeTokens);
        checkRowsBytes("stepTokens", stepTokens);
    }

    /** Checked here as well as by the scheduler, so that every configuration yields a scheduler. */
    private void checkSnapshot()
    {
        if (router.hasSnapshot())
        {
            router.router(ranks, prefixCaching);
        }
    }

    private void checkStepBlocks()
    {
        if (stepTokens / blockSizeTokens > MAX_STEP_BLOCKS)
        {
            throw new ConfigException("stepTokens=" + stepTokens + " fills more than " + MAX_STEP_BLOCKS +
                " blocks of blockSizeTokens=" + blockSizeTokens + " in one step; give a smaller budget or larger blocks.");
        }
    }

    private void checkExperts()
    {
        if (capture != null && capture.experts() > MAX_CAPTURED_EXPERTS)
        {
            throw new ConfigException("experts=" + capture.experts() + " is not between 1 and " + MAX_CAPTURED_EXPERTS +
                ", the most that the int16 ids of a capture buffer can name; give such a model, or turn capture off.");
        }
    }

    private void checkRowsBytes(final String name, final int tokens)
    {
        if (capture != null && (long)tokens * capture.rowBytes() > MAX_ROWS_BYTES)
        {
            throw new ConfigException(name + "=" + tokens + " with routed-expert rows of " + capture.rowBytes() +
                " bytes is above " + MAX_ROWS_BYTES + " bytes; give a smaller " + name + " or model shape.");
        }
    }

    public static Builder builder()
    {
        return new Builder();
    }

    /** A builder that starts from these settings. */
    public Builder toBuilder()
    {
        return builder().ranks(ranks).kvBlocks(kvBlocks).blockSizeTokens(blockSizeTokens).evictionPolicy(evictionPolicy)
            .prefixCaching(prefixCaching).blockHash(blockHash).router(router).maxRunning(maxRunning).maxQueued(maxQueued)
            .stepTokens(stepTokens).lockStep(lockStep).capture(capture).digestInterval(digestInterval)
            .maxFailures(maxFailures).backOffNanos(backOffNanos);
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
     * Hash function of the clients. The scheduler does not check the hashes, and a workload may have others; prompts
     * hashed by two functions never share a block.
     */
    public BlockHashFunction blockHash()
    {
        return blockHash;
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

    /** The rows to capture, or null if capture is off. */
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
        return maxFailures;
    }

    /**
     * How long a rank rests after the second failed step in a row, on the clock of the inputs; twice as long after each
     * further one, up to 64 times as long. 0: it never rests.
     */
    public int backOffNanos()
    {
        return backOffNanos;
    }

    /** Name and value of every setting, sorted by name. */
    public Map<String, String> settings()
    {
        final Map<String, String> settings = new TreeMap<>();
        settings.put("scheduler.ranks", Integer.toString(ranks));
        settings.put("scheduler.kvBlocks", Integer.toString(kvBlocks));
        settings.put("scheduler.blockSizeTokens", Integer.toString(blockSizeTokens));
        settings.put("scheduler.evictionPolicy", evictionPolicy.name());
        settings.put("scheduler.prefixCaching", Boolean.toString(prefixCaching));
        settings.put("scheduler.blockHash", blockHash.name());
        settings.putAll(router.settings());
        settings.put("scheduler.maxRunning", Integer.toString(maxRunning));
        settings.put("scheduler.maxQueued", Integer.toString(maxQueued));
        settings.put("scheduler.stepTokens", Integer.toString(stepTokens));
        settings.put("scheduler.lockStep", Boolean.toString(lockStep));
        settings.put("scheduler.digestInterval", Integer.toString(digestInterval));
        settings.put("scheduler.maxFailures", Integer.toString(maxFailures));
        settings.put("scheduler.backOffNanos", Integer.toString(backOffNanos));
        settings.put("scheduler.capture", Boolean.toString(capture != null));
        if (capture != null)
        {
            settings.put("model.moeLayers", Integer.toString(capture.moeLayers()));
            settings.put("model.experts", Integer.toString(capture.experts()));
            settings.put("model.topK", Integer.toString(capture.topK()));
        }
        return settings;
    }

    /** Reads what {@link #settings()} wrote, with the installed routers. */
    public static SchedulerConfig of(final Map<String, String> settings)
    {
        return of(settings, DpRouters.installed());
    }

    /**
     * Reads what {@link #settings()} wrote; other names are left alone. Older run descriptions omit {@code blockHash},
     * {@code lockStep}, {@code maxFailures} and {@code backOffNanos}: they used SHA-256, ranks stepped independently, and
     * failed steps were repeated at once, without a bound.
     *
     * @param routers those that the settings may name.
     * @throws io.signalbox.router.AbsentRouterException if they name another router, or another version.
     * @throws ConfigException if a setting is missing or has a value that is not allowed.
     */
    public static SchedulerConfig of(final Map<String, String> settings, final DpRouters routers)
    {
        final Builder builder = builder()
            .ranks(Settings.integer(settings, "scheduler.ranks"))
            .kvBlocks(Settings.integer(settings, "scheduler.kvBlocks"))
            .blockSizeTokens(Settings.integer(settings, "scheduler.blockSizeTokens"))
            .evictionPolicy(evictionPolicy(settings))
            .prefixCaching(Settings.flag(settings, "scheduler.prefixCaching"))
            .blockHash(blockHash(settings))
            .router(RouterConfig.of(settings, routers))
            .maxRunning(Settings.integer(settings, "scheduler.maxRunning"))
            .maxQueued(Settings.integer(settings, "scheduler.maxQueued"))
            .stepTokens(Settings.integer(settings, "scheduler.stepTokens"))
            .lockStep(settings.containsKey("scheduler.lockStep") && Settings.flag(settings, "scheduler.lockStep"))
            .maxFailures(integerOrZero(settings, "scheduler.maxFailures"))
            .backOffNanos(integerOrZero(settings, "scheduler.backOffNanos"))
            .digestInterval(Settings.integer(settings, "scheduler.digestInterval"));
        if (Settings.flag(settings, "scheduler.capture"))
        {
            builder.capture(new ModelShape(
                Settings.integer(settings, "model.moeLayers"), Settings.integer(settings, "model.experts"),
                Settings.integer(settings, "model.topK")));
        }
        return builder.build();
    }

    private static int integerOrZero(final Map<String, String> settings, final String name)
    {
        return settings.containsKey(name) ? Settings.integer(settings, name) : 0;
    }

    private static EvictionPolicy evictionPolicy(final Map<String, String> settings)
    {
        final String name = Settings.text(settings, "scheduler.evictionPolicy");
        for (final EvictionPolicy policy : EvictionPolicy.values())
        {
            if (policy.name().equals(name))
            {
                return policy;
            }
        }
        throw new ConfigException("scheduler.evictionPolicy=" + name + " is not known; it is LRU or REF_ZERO.");
    }

    private static BlockHashFunction blockHash(final Map<String, String> settings)
    {
        final String name = settings.getOrDefault("scheduler.blockHash", BlockHashFunction.SHA_256.name());
        for (final BlockHashFunction function : BlockHashFunction.values())
        {
            if (function.name().equals(name))
            {
                return function;
            }
        }
        throw new ConfigException("scheduler.blockHash=" + name + " is not known; it is SHA_256 or XXH3_128.");
    }

    private static int inRange(final String name, final int value, final int min, final int max)
    {
        if (value < min || value > max)
        {
            throw new ConfigException(
                name + "=" + value + " is not between " + min + " and " + max + "; give a value in that range.");
        }
        return value;
    }

    /** Collects settings; {@link #build()} checks all of them. */
    public static final class Builder
    {
        private int ranks = 8;
        private int kvBlocks = 65_536;
        private int blockSizeTokens = 16;
        private EvictionPolicy evictionPolicy = EvictionPolicy.LRU;
        private boolean prefixCaching = true;
        private BlockHashFunction blockHash = BlockHashFunction.SHA_256;
        private RouterConfig router = RouterConfig.standard();
        private int maxRunning = 256;
        private int maxQueued = 1 << 20;
        private int stepTokens = 8192;
        private boolean lockStep;
        private ModelShape capture;
        private int digestInterval = 4096;
        private int maxFailures = 8;
        private int backOffNanos = 1_000_000;

        public Builder ranks(final int value)
        {
            ranks = value;
            return this;
        }

        public Builder kvBlocks(final int value)
        {
            kvBlocks = value;
            return this;
        }

        public Builder blockSizeTokens(final int value)
        {
            blockSizeTokens = value;
            return this;
        }

        public Builder evictionPolicy(final EvictionPolicy value)
        {
            evictionPolicy = value;
            return this;
        }

        public Builder prefixCaching(final boolean value)
        {
            prefixCaching = value;
            return this;
        }

        public Builder blockHash(final BlockHashFunction value)
        {
            blockHash = value;
            return this;
        }

        public Builder router(final RouterConfig value)
        {
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
            maxRunning = value;
            return this;
        }

        public Builder maxQueued(final int value)
        {
            maxQueued = value;
            return this;
        }

        public Builder stepTokens(final int value)
        {
            stepTokens = value;
            return this;
        }

        public Builder lockStep(final boolean value)
        {
            lockStep = value;
            return this;
        }

        public Builder capture(final ModelShape value)
        {
            capture = value;
            return this;
        }

        public Builder digestInterval(final int value)
        {
            digestInterval = value;
            return this;
        }

        public Builder maxFailures(final int value)
        {
            maxFailures = value;
            return this;
        }

        public Builder backOffNanos(final int value)
        {
            backOffNanos = value;
            return this;
        }

        public SchedulerConfig build()
        {
            return new SchedulerConfig(this);
        }
    }
}
