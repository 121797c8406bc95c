// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.RouterPolicy;
import io.signalbox.scheduler.SchedulerConfig;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/** The routers and cache sizes to compare, and the configuration that they share. */
public final class ComparedSchedulers extends RankOptions
{
    private static final String ALL = "all";

    @Option(names = "--routers", paramLabel = "POLICIES", split = ",", completionCandidates = Labels.class,
        description = "Compare these routers, or all: ${COMPLETION-CANDIDATES} (default: all).")
    private List<String> routers = List.of(ALL);

    @Option(names = "--kv-blocks", paramLabel = "N", split = ",",
        description = "Give each rank's pool N KV blocks, one of them the dummy block; print a table per size " +
            "(default: 1,048,576 tokens).")
    private List<Integer> kvBlocks;

    /** The scheduler of every run, but for router and pool size. */
    public SchedulerConfig config()
    {
        return rankBuilder().router(withOptions(RouterConfig.builder().build(), routers())).build();
    }

    public List<Integer> kvBlocks()
    {
        return kvBlocks == null ? List.of(config().kvBlocks()) : kvBlocks;
    }

    public List<RouterPolicy> routers()
    {
        if (routers.equals(List.of(ALL)))
        {
            return List.of(RouterPolicy.values());
        }
        final List<RouterPolicy> policies = new ArrayList<>();
        for (final String label : routers)
        {
            policies.add(Arrays.stream(RouterPolicy.values()).filter(policy -> policy.label().equals(label)).findFirst()
                .orElseThrow(() -> new ConfigException("--routers=" + label + " is not known; give all, or some of " +
                    String.join(", ", new Labels()) + ".")));
        }
        return policies;
    }

    /** The routers by name. */
    public static final class Labels implements Iterable<String>
    {
        @Override
        public Iterator<String> iterator()
        {
            return Arrays.stream(RouterPolicy.values()).map(RouterPolicy::label).iterator();
        }
    }
}
