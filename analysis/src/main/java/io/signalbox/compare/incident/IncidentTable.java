// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare.incident;

import io.signalbox.compare.ComparisonProgress;
import io.signalbox.compare.ParallelRuns;
import io.signalbox.router.RouterConfig;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Tries routers in the scenarios of all incidents. */
public final class IncidentTable
{
    private IncidentTable()
    {
    }

    /** Runs of a table. */
    public static int runs(final List<RouterConfig> routers)
    {
        return routers.size() * ReportedIncident.values().length;
    }

    /**
     * Runs until every scenario has ended. The findings do not depend on the number of workers.
     *
     * @return by router, then by incident.
     */
    public static List<IncidentFinding> of(
        final List<RouterConfig> routers, final int workers, final ComparisonProgress progress)
    {
        final IncidentTrials trials = new IncidentTrials();
        final ReportedIncident[] incidents = ReportedIncident.values();
        final IncidentFinding[] findings = new IncidentFinding[runs(routers)];
        final AtomicInteger ended = new AtomicInteger();
        final ParallelRuns parallel = new ParallelRuns();
        final List<Runnable> runs = new ArrayList<>();
        for (int i = 0; i < findings.length; i++)
        {
            final int index = i;
            runs.add(() ->
            {
                parallel.stopIfAbandoned();
                findings[index] = trials.of(incidents[index % incidents.length], routers.get(index / incidents.length));
                final int count = ended.incrementAndGet();
                progress.onProgress((long)count * ComparisonProgress.PARTS_PER_RUN, count, findings.length);
            });
        }
        parallel.run(runs, workers);
        return Arrays.asList(findings);
    }
}
