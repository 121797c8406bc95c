// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.engine.SteppedEngine;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.D2hDelay;
import io.signalbox.sim.FaultPlan;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.SimulationProgress;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class FirstTokenPartsTest
{
    private static final long DELIVERY_NANOS = 700_000;

    private static RunReport.Latencies latencies(final SchedulerConfig.Builder config, final String faults)
    {
        final SimulationConfig costs = SimulationConfig.DEFAULT.withD2hDelay(new D2hDelay(DELIVERY_NANOS, 0, 0))
            .withFaults(faults.isEmpty() ? null : FaultPlan.parse(faults));
        return new Simulation(config.build(), costs,
            GeneratedWorkload.of(GeneratedWorkloadConfig.builder().conversations(40).build()))
            .run(SteppedEngine::new, null, SimulationProgress.NONE).latency();
    }

    private static double sum(final RunReport.FirstTokenParts parts)
    {
        return Stream.of(parts.queue(), parts.schedule(), parts.host(), parts.device(), parts.delivery())
            .mapToDouble(RunReport.LatencySummary::meanNanos).sum();
    }

    /** Prompts take several steps, and are preempted, and steps fail; every nanosecond belongs to one part. */
    @ParameterizedTest
    @CsvSource({"8192, 3000, 1, ''", "128, 3000, 1, ''", "128, 3000, 3, ''", "256, 150, 2, ''",
        "128, 3000, 2, 'failed=0.02,late=0.02'"})
    void shouldDivideTheTimeToFirstTokenExactly(
        final int stepTokens, final int kvBlocks, final int depth, final String faults)
    {
        final RunReport.Latencies latency = latencies(SchedulerConfig.builder().ranks(2).stepTokens(stepTokens)
            .kvBlocks(kvBlocks).depth(depth), faults);

        assertEquals(latency.ttft().count(), latency.ttftParts().queue().count());
        assertEquals(latency.ttft().meanNanos(), sum(latency.ttftParts()), 1e-9 * latency.ttft().meanNanos());
        assertTrue(latency.ttft().count() > 20, latency.toString());
    }

    @Test
    void shouldSayWhereTheTimeGoes()
    {
        final RunReport.FirstTokenParts parts =
            latencies(SchedulerConfig.builder().ranks(2).kvBlocks(3000), "").ttftParts();

        // Each prompt fits into a step, which waits for its rank, is computed, and is copied.
        assertEquals(DELIVERY_NANOS, parts.delivery().maxNanos());
        assertEquals(0, parts.schedule().maxNanos());
        assertEquals(0, parts.host().maxNanos());
        assertTrue(parts.device().p50Nanos() > 10_000_000 && parts.queue().maxNanos() > 1_000_000, parts.toString());
    }
}
