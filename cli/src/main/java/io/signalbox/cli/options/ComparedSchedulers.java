// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** The routers and cache sizes to compare, and the configuration that they share. */
public final class ComparedSchedulers extends RankOptions
{
    private static final String ALL = "all";

    @Option(names = "--routers", paramLabel = "LABELS", split = ",", completionCandidates = Labels.class,
        description = "Compare these routers, or all: ${COMPLETION-CANDIDATES} (default: all), and those of --plugins.")
    private List<String> routers = List.of(ALL);

    @Option(names = "--kv-blocks", paramLabel = "N", split = ",",
        description = "Give each rank's pool N KV blocks, one of them the dummy block; print a table per size " +
            "(default: 1,048,576 tokens).")
    private List<Integer> kvBlocks;

    /** The scheduler of every run, except for router and pool size. */
    public SchedulerConfig config()
    {
        return rankBuilder().build();
    }

    public List<Integer> kvBlocks()
    {
        return kvBlocks == null ? List.of(config().kvBlocks()) : kvBlocks;
    }

    /** The compared routers, with the knobs that options set. */
    public List<RouterConfig> routers()
    {
        final DpRouters known = known();
        if (routers.equals(List.of(ALL)))
        {
            return withOptions(known.all().stream().map(RouterConfig::of).toList());
        }
        final List<RouterConfig> chosen = new ArrayList<>();
        for (final String label : routers)
        {
            chosen.add(known.all().stream().filter(router -> router.label().equals(label)).findFirst()
                .map(RouterConfig::of).orElseThrow(() -> new ConfigException("--routers=" + label +
                    " is not known; give all, or some of " + known.labels() + ", or its jar with --plugins.")));
        }
        return withOptions(chosen);
    }

    /** The routers by name. */
    public static final class Labels implements Iterable<String>
    {
        @Override
        public Iterator<String> iterator()
        {
            return DpRouters.installed().all().stream().map(DpRouterProvider::label).iterator();
        }
    }
}
