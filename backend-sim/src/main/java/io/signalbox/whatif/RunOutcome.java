// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.report.RunReport;
import io.signalbox.stats.RequestOutcome;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.Comparator;
import java.util.List;

/** One run: its report and what became of each request. */
final class RunOutcome
{
    private final RunReport report;
    private final Long2ObjectHashMap<RequestOutcome> outcomes;
    private final List<RequestOutcome> requests;
    private final PlacementLog placements;
    private final String digest;

    /** @param workload names the requests that count. */
    RunOutcome(final RunReport report, final RunCollector collector, final RecordedWorkload workload)
    {
        this.report = report;
        outcomes = collector.outcomes();
        placements = collector.placements();
        digest = collector.digest();
        requests = outcomes.values().stream().filter(request -> workload.indexOf(request.requestId()) >= 0)
            .sorted(Comparator.comparingLong(request -> request.requestId())).toList();
    }

    RunReport report()
    {
        return report;
    }

    /** By ascending id. */
    List<RequestOutcome> requests()
    {
        return requests;
    }

    /** {@code null} if the run has no such request. */
    RequestOutcome request(final long requestId)
    {
        return outcomes.get(requestId);
    }

    PlacementLog placements()
    {
        return placements;
    }

    String digest()
    {
        return digest;
    }
}
