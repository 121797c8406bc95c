// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.engine.SteppedEngine;
import io.signalbox.report.RunReport;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.SplitMix64;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Sessions whose requests begin with one system prompt and rarely or never overlap, so all ranks are idle when a request is
 * placed. The caches of all ranks together hold all sessions, and the cache of one rank does not.
 */
class PacedSessionsTest
{
    private static final int BLOCK = 64;
    private static final long MILLIS = 1_000_000;

    /** Blocks of a prompt: first the blocks of the system prompt, then the blocks of the session. */
    private record Sessions(
        int sessions, int systemBlocks, int turnBlocks, List<WorkloadRequest> requests) implements Workload
    {
        static Sessions of(
            final int sessions, final int turns, final int systemBlocks, final int turnBlocks, final long gapMillis)
        {
            final List<WorkloadRequest> requests = new ArrayList<>();
            for (int i = 0; i < sessions * turns; i++)
            {
                final int blocks = systemBlocks + (1 + i / sessions) * turnBlocks;
                requests.add(WorkloadRequest.arriving(1 + i, i * gapMillis * MILLIS, blocks * BLOCK,
                    20).ofConversation(i % sessions));
            }
            return new Sessions(sessions, systemBlocks, turnBlocks, requests);
        }

        @Override
        public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
        {
            final int blocks = request.promptTokens() / blockSizeTokens;
            for (int i = 0; i < blocks; i++)
            {
                final long session = i < systemBlocks ? -1 : request.conversationId();
                target[i] = SplitMix64.mix(session, i) >>> 1;
            }
            return blocks;
        }

        @Override
        public Map<String, String> settings()
        {
            return Map.of("workload.kind", "paced sessions");
        }

        /** The share of prompt tokens that would be cached if each session found all of its earlier turns. */
        double mostHits()
        {
            final long tokens = requests.stream().mapToLong(WorkloadRequest::promptTokens).sum();
            final long computed = ((long)requests.size() * turnBlocks + systemBlocks) * BLOCK;
            return 1 - (double)computed / tokens;
        }
    }

    private static RunReport run(final Sessions sessions, final int ranks, final int kvBlocks, final String router)
    {
        final SchedulerConfig config =
            SchedulerConfig.builder().ranks(ranks).blockSizeTokens(BLOCK).kvBlocks(kvBlocks).router(router).build();
        return new Simulation(config, SimulationConfig.DEFAULT, sessions)
            .run(SteppedEngine::new, null, SimulationProgress.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "2, 1025, 16, 28, 4, 4, 3000",
        "2, 1025, 12, 40, 4, 4, 700",
        "8, 1025, 64, 28, 4, 4, 1500",
        "4, 513, 64, 16, 32, 2, 1000",
        "4, 513, 32, 28, 16, 2, 300",
        "3, 769, 15, 30, 4, 4, 2000",
        "2, 1025, 16, 28, 4, 4, 100",
        "4, 1025, 48, 20, 8, 4, 20"})
    void shouldUseTheCachesOfAllRanks(
        final int ranks, final int kvBlocks, final int sessions, final int turns, final int systemBlocks,
        final int turnBlocks, final long gapMillis)
    {
        final Sessions workload = Sessions.of(sessions, turns, systemBlocks, turnBlocks, gapMillis);
        final RunReport report = run(workload, ranks, kvBlocks, "signalbox");
        final double hits = report.prefixCache().tokenHitRate();
        assertTrue(hits > workload.mostHits() - 0.08, hits + " of " + workload.mostHits());
    }
}
