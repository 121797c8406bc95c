// SPDX-License-Identifier: Apache-2.0
package com.example.experiment;

import io.signalbox.compare.Comparison;
import io.signalbox.compare.ComparisonConfig;
import io.signalbox.compare.ComparisonProgress;
import io.signalbox.compare.ComparisonRow;
import io.signalbox.compare.Figure;
import io.signalbox.compare.SeededWorkload;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.workload.WorkloadPreset;

import java.util.List;
import java.util.Locale;

/** Compares an own router with two of ours, on bursts of conversations, with enough and with little KV memory. */
public final class RouterExperiment
{
    private RouterExperiment()
    {
    }

    public static void main(final String[] args)
    {
        final SeededWorkload bursts = SeededWorkload.generated("bursty",
            () -> WorkloadPreset.BURSTY.builder().conversations(60));
        final List<RouterConfig> routers = List.of(RouterConfig.of(new TwoChoicesDpRouter.Provider()),
            RouterConfig.of("least-loaded"), RouterConfig.of("signalbox"));
        final ComparisonConfig plan = new ComparisonConfig(List.of(bursts), List.of(1025, 4097), routers, 1, 2,
            SchedulerConfig.builder().ranks(4).build(), SimulationConfig.DEFAULT);

        System.out.println("KV blocks  router        TTFT p90 ms  requests/s  hit rate");
        for (final ComparisonRow row : Comparison.run(plan, 1, ComparisonProgress.NONE))
        {
            System.out.println(String.format(Locale.ROOT, "%9d  %-12s %12.0f %11.2f %9.2f", row.kvBlocks(),
                row.router().label(), row.estimate(Figure.TTFT_P90).mean(),
                row.estimate(Figure.REQUESTS_PER_SECOND).mean(), row.estimate(Figure.TOKEN_HIT_RATE).mean()));
        }
    }
}
