// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.router.DpRouters;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;

import java.util.ArrayList;
import java.util.List;

/** The routers and cache sizes to compare, and the configuration that they share. */
public final class ComparedSchedulers extends RouterOptions
{
    private static final String ALL = "all";

    private final SettingOptions scheduler = SchedulerOptions.simulated().without(SchedulerConfig.CAPTURE)
        .listed(SchedulerConfig.KV_BLOCKS).helped(SchedulerConfig.KV_BLOCKS,
            "Give each rank's pool N KV blocks, one of them the dummy block; print a table per size");

    /** Compares all routers unless some are given. */
    public ComparedSchedulers()
    {
        router().listed(RouterConfig.ROUTER).defaultInWords(RouterConfig.ROUTER, ALL)
            .helped(RouterConfig.ROUTER, "Compare these routers, or those of --plugins, or all: ${COMPLETION-CANDIDATES}");
    }

    @Override
    public List<SettingOptions> settings()
    {
        return List.of(router(), scheduler);
    }

    /** The scheduler of every run, except for router and pool size. */
    public SchedulerConfig config()
    {
        return SchedulerOptions.builder(scheduler).build();
    }

    public List<Integer> kvBlocks()
    {
        final List<Integer> asked = scheduler.list(SchedulerConfig.KV_BLOCKS);
        return asked == null ? List.of(config().kvBlocks()) : asked;
    }

    /** The compared routers, with the knobs that options set. */
    public List<RouterConfig> routers(final DpRouters known)
    {
        final List<String> labels = router().texts(RouterConfig.ROUTER);
        if (labels == null || labels.equals(List.of(ALL)))
        {
            return withKnobs(known.all().stream().map(RouterConfig::of).toList(), known);
        }
        final List<RouterConfig> chosen = new ArrayList<>();
        for (final String label : labels)
        {
            chosen.add(known.all().stream().filter(router -> router.label().equals(label)).findFirst()
                .map(RouterConfig::of).orElseThrow(() -> new ConfigException("--router=" + label +
                    " is not known; give all, or some of " + known.labels() + ", or its jar with --plugins.")));
        }
        return withKnobs(chosen, known);
    }
}
