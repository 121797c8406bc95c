// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.RouterPolicy;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.NumberText;
import picocli.CommandLine.Option;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The ranks and how each of them batches; router, pool size and capture are the commands' own. */
class RankOptions
{
    /** KV cache of one rank, whatever the block size. */
    private static final int POOL_TOKENS = 1_048_576;
    private static final Pattern WORD = Pattern.compile("[A-Za-z][A-Za-z_-]*");

    @Option(names = "--ranks", paramLabel = "N",
        description = "Simulate N data-parallel ranks (default: ${DEFAULT-VALUE}).")
    private int ranks = 8;

    @Option(names = "--lock-step",
        description = "Step all ranks together; a rank without work gets an empty plan.")
    private boolean lockStep;

    @Option(names = "--block-size", paramLabel = "TOKENS",
        description = "Make KV blocks of this many tokens (default: ${DEFAULT-VALUE}).")
    private int blockSizeTokens = 16;

    @Option(names = "--eviction", paramLabel = "POLICY", converter = SchedulerOptions.EvictionConverter.class,
        description = "Evict by POLICY: lru keeps released blocks cached until room is short; ref-zero frees them at once " +
            "(default: lru).")
    private EvictionPolicy evictionPolicy = EvictionPolicy.LRU;

    @Option(names = "--no-prefix-caching", description = "Do not share KV blocks between requests.")
    private boolean noPrefixCaching;

    @Option(names = "--max-running", paramLabel = "N",
        description = "Run at most N requests on one rank at a time (default: ${DEFAULT-VALUE}).")
    private int maxRunning = 256;

    @Option(names = "--max-queued", paramLabel = "N",
        description = "Let at most N requests wait for a rank; refuse further ones (default: ${DEFAULT-VALUE}).")
    private int maxQueued = 1 << 20;

    @Option(names = "--step-tokens", paramLabel = "N",
        description = "Compute at most N tokens in one step (default: ${DEFAULT-VALUE}).")
    private int stepTokens = 8192;

    @Option(names = "--router-options", paramLabel = "NAME=VALUE", split = ",",
        description = "Set knobs of the router by the names of the run description, such as reuseWeight=2,backlog=65536.")
    private List<String> routerOptions = List.of();

    @Option(names = "--beta", paramLabel = "WEIGHT",
        description = "Weigh the load term of the kv-aware scores, 0 to 1e12 (default: 1.0).")
    private Double beta;

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

    /**
     * The router with the knobs that {@code --beta} and {@code --router-options} turn.
     *
     * @param policies those that will decide; a knob that none of them reads is refused.
     */
    final RouterConfig withOptions(final RouterConfig config, final List<RouterPolicy> policies)
    {
        final Map<String, String> settings = config.settings();
        final Set<String> turned = new HashSet<>();
        if (beta != null)
        {
            if (policies.stream().noneMatch(policy -> policy.knobs().contains("beta")))
            {
                throw new ConfigException("--beta weighs the scores of the kv-aware routers, and another one is chosen; " +
                    "leave it out, or change the other.");
            }
            settings.put("router.beta", Double.toString(beta));
        }
        for (final String option : routerOptions)
        {
            final int end = option.indexOf('=');
            final String knob = end < 0 ? option : option.substring(0, end);
            if (end < 0)
            {
                throw new ConfigException("--router-options: '" + option + "' is not NAME=VALUE; give the knob a value.");
            }
            requireRead(knob, policies);
            requireValue(knob, option.substring(end + 1));
            if (knob.equals("beta") && beta != null)
            {
                throw new ConfigException("--router-options names beta, which --beta gives as well; give it one value.");
            }
            if (!turned.add(knob))
            {
                throw new ConfigException("--router-options names " + knob + " twice; give it one value.");
            }
            settings.put("router." + knob, option.substring(end + 1));
        }
        return RouterConfig.of(settings);
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

    private static void requireRead(final String knob, final List<RouterPolicy> policies)
    {
        final List<String> read = knobs(policies);
        if (read.contains(knob))
        {
            return;
        }
        final List<String> all = knobs(List.of(RouterPolicy.values()));
        if (!all.contains(knob))
        {
            throw new ConfigException("--router-options names '" + knob + "', which is no knob of a router; give some of " +
                String.join(", ", read.isEmpty() ? all : read) + ".");
        }
        final String chosen = policies.size() == 1 ? "the " + policies.get(0).label() + " router does not read" :
            "none of the compared routers reads";
        throw new ConfigException("--router-options names " + knob + ", which " + chosen + "; " +
            (read.isEmpty() ? "leave it out." : "give some of " + String.join(", ", read) + "."));
    }

    private static List<String> knobs(final List<RouterPolicy> policies)
    {
        return policies.stream().flatMap(policy -> policy.knobs().stream()).distinct().sorted().toList();
    }
}
