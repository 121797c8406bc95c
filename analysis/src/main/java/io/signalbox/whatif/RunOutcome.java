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
    private final ComputedTokens computed;

    /** @param workload names the requests that count. */
    RunOutcome(final RunReport report, final RunCollector collector, final RecordedWorkload workload)
    {
        this(report, collector, workload, Long.MIN_VALUE);
    }

    /** @param fromNanos requests that were submitted before do not count. */
    RunOutcome(
        final RunReport report, final RunCollector collector, final RecordedWorkload workload, final long fromNanos)
    {
        this.report = report;
        outcomes = collector.outcomes();
        placements = collector.placements();
        digest = collector.digest();
        computed = collector.computed();
        requests = outcomes.values().stream().filter(request -> workload.indexOf(request.requestId()) >= 0 &&
                request.submitNanos() >= fromNanos)
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

    /** {@code null} if it was not asked for. */
    ComputedTokens computed()
    {
        return computed;
    }

    String digest()
    {
        return digest;
    }
}
