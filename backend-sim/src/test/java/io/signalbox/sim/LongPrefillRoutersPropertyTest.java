// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.engine.SteppedEngine;
import io.signalbox.report.RunReport;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.BatchSettings;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.WorkloadRequest;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** The limits of long prompts, a setting of the scheduler, help with every router. */
class LongPrefillRoutersPropertyTest
{
    private static final long MILLIS = 1_000_000;
    private static final int LONG = 150_000;

    private static long medianTtftMillis(final SchedulerConfig config, final List<WorkloadRequest> requests)
    {
        final RunReport report = new Simulation(config, SimulationConfig.DEFAULT, new ListWorkload(requests))
            .run(SteppedEngine::new, null, SimulationProgress.NONE);
        return report.latency().ttft().p50Nanos() / MILLIS;
    }

    /**
     * Every rank computes long prompts for some seconds, and more long prompts wait, while short prompts arrive. With limits
     * the median request, which is short, has its first token within a few steps, with each router.
     */
    @Property(tries = 12)
    void aLimitOfLongPromptsLetsShortOnesPassWithEachRouter(
        @ForAll @IntRange(min = 1, max = 4) final int ranks,
        @ForAll @IntRange(min = 1, max = 3) final int longPerRank,
        @ForAll @IntRange(min = 512, max = 3000) final int longPrefillTokens,
        @ForAll @IntRange(min = 1, max = 2) final int maxLongPrefills)
    {
        final List<WorkloadRequest> requests = new ArrayList<>();
        for (int i = 0; i < ranks * longPerRank; i++)
        {
            requests.add(WorkloadRequest.arriving(1 + i, i * MILLIS, LONG + i, 3).ofConversation(i));
        }
        final int shorts = 4 * requests.size();
        for (int i = 0; i < shorts; i++)
        {
            final int id = 1 + requests.size();
            requests.add(WorkloadRequest.arriving(id, 500 * MILLIS + 20 * i * MILLIS, 101, 3).ofConversation(id));
        }
        for (final String router : DpRouters.installed().all().stream().map(provider -> provider.label()).toList())
        {
            final SchedulerConfig.Builder config =
                SchedulerConfig.builder().ranks(ranks).blockSizeTokens(64).kvBlocks(10_000).router(router);
            final long without = medianTtftMillis(config.build(), requests);
            final long with = medianTtftMillis(config.set(BatchSettings.LONG_PREFILL_TOKENS, longPrefillTokens)
                .set(BatchSettings.MAX_LONG_PREFILLS, maxLongPrefills).build(), requests);
            assertTrue(with < 300 && with < without, router + ": " + with + " ms with the limit, " + without + " without");
        }
    }
}
