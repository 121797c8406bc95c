// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.engine.SteppedEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.report.RunReport;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.FirstRequests;
import io.signalbox.workload.MooncakeTrace;
import io.signalbox.workload.SharedTraces;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The first 3,000 requests of the trace in every build, all 12,031 with {@code -Pfull}. */
class ConversationTraceTest
{
    private static final int REQUESTS = "full".equals(System.getProperty("signalbox.tests")) ? 12_031 : 3_000;

    @Test
    void shouldCompleteEveryRequestOfTheTraceWithEveryRow()
    {
        Assumptions.assumeTrue(Files.isRegularFile(SharedTraces.conversation()),
            "skipped: the shared trace " + SharedTraces.conversation() + " is absent");
        final Workload trace = new FirstRequests(MooncakeTrace.read(SharedTraces.conversation()), REQUESTS);
        final SchedulerConfig config = SchedulerConfig.builder()
            .ranks(8).blockSizeTokens(512).kvBlocks(4096).router("kv-aware")
            .capture(new ModelShape(4, 64, 2)).build();
        final RunReport report = new Simulation(config, SimulationConfig.DEFAULT, trace)
            .run(SteppedEngine::new, null, SimulationProgress.NONE);

        assertEquals(new RunReport.Requests(REQUESTS, REQUESTS, 0, 0, 0, 0, 0, 0, null, null), report.requests());
        assertEquals(trace.requests().stream().mapToLong(WorkloadRequest::outputTokens).sum(),
            report.throughput().outputTokens());
        // A finished request has prompt + generated - 1 rows.
        final long rows = trace.requests().stream()
            .mapToLong(request -> request.promptTokens() + Math.max(0, request.outputTokens() - 1)).sum();
        final RunReport.RowCounts experts = report.routedExperts();
        assertEquals(rows, experts.captured() + experts.inherited());
        assertEquals(0, experts.missing());
        assertEquals(report.prefixCache().matchedTokens(), experts.inherited());
        assertTrue(report.prefixCache().tokenHitRate() > 0.2);
        assertTrue(experts.load().maxOverMean() > 2.0);
    }
}
