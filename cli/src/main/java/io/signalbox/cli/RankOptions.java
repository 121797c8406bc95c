// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.ConfigException;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import picocli.CommandLine.Option;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The ranks and how each of them batches; router, pool size and capture are the commands' own. */
class RankOptions
{
    /** KV cache of one rank, whatever the block size. */
    private static final int POOL_TOKENS = 1_048_576;

    @Option(names = "--ranks", paramLabel = "N", description = "Data-parallel ranks (default: ${DEFAULT-VALUE}).")
    private int ranks = 8;

    @Option(names = "--lock-step",
        description = "The ranks step together, each with an empty plan where it has nothing to compute.")
    private boolean lockStep;

    @Option(names = "--block-size", paramLabel = "TOKENS", description = "Tokens per KV block (default: ${DEFAULT-VALUE}).")
    private int blockSizeTokens = 16;

    @Option(names = "--eviction", paramLabel = "POLICY", converter = SchedulerOptions.EvictionConverter.class,
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

    @Option(names = "--router-options", paramLabel = "NAME=VALUE", split = ",",
        description = "Knobs of the router as the run description names them, such as reuseWeight=2,backlog=65536.")
    private List<String> routerOptions = List.of();

    /** A builder with these options set, and with a pool of the default size. */
    final SchedulerConfig.Builder rankBuilder()
    {
        if (blockSizeTokens < 1)
        {
            throw new ConfigException("--block-size=" + blockSizeTokens + " is not between 1 and " +
                SchedulerConfig.MAX_BLOCK_SIZE_TOKENS + "; give the tokens that one KV block holds.");
        }
        return SchedulerConfig.builder()
            .ranks(ranks)
            .lockStep(lockStep)
            .blockSizeTokens(blockSizeTokens)
            .kvBlocks(Math.max(2, POOL_TOKENS / blockSizeTokens))
            .evictionPolicy(evictionPolicy)
            .prefixCaching(!noPrefixCaching)
            .maxRunning(maxRunning)
            .maxQueued(maxQueued)
            .stepTokens(stepTokens);
    }

    /** The router with the knobs that {@code --router-options} turns. */
    final RouterConfig withOptions(final RouterConfig config)
    {
        final Map<String, String> settings = config.settings();
        final Set<String> turned = new HashSet<>();
        for (final String option : routerOptions)
        {
            final int end = option.indexOf('=');
            final String knob = end < 0 ? option : option.substring(0, end);
            if (end < 0)
            {
                throw new ConfigException("--router-options: '" + option + "' is not NAME=VALUE; give the knob a value.");
            }
            if (!knobs(config).contains(knob))
            {
                throw new ConfigException("--router-options names '" + knob + "', which is no knob of a router; " +
                    "give some of " + String.join(", ", knobs(config)) + ".");
            }
            if (!turned.add(knob))
            {
                throw new ConfigException("--router-options names " + knob + " twice; give it one value.");
            }
            settings.put("router." + knob, option.substring(end + 1));
        }
        return RouterConfig.of(settings);
    }

    private static List<String> knobs(final RouterConfig config)
    {
        return config.settings().keySet().stream()
            .map(name -> name.substring("router.".length())).filter(name -> !name.equals("policy")).toList();
    }
}
