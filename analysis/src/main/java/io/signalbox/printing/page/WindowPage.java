// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.inspect.history.PastRequest;
import io.signalbox.inspect.history.RunHistory;
import io.signalbox.report.RunReport;
import io.signalbox.report.RunReport.Goodput;
import io.signalbox.report.RunReport.Latencies;
import io.signalbox.report.RunReport.LatencySummary;
import io.signalbox.report.RunReport.PrefixCache;
import io.signalbox.report.RunReport.RankOccupancy;
import io.signalbox.report.RunReport.RankPrefixCache;
import io.signalbox.report.RunReport.Steps;
import io.signalbox.report.RunReport.Throughput;
import io.signalbox.report.ServiceLevel;
import io.signalbox.router.RouterConfig;

import java.util.List;
import java.util.Map;

/**
 * The figures of a window in the form of the report of a run, as far as the page shows them: gaps between tokens, blocks,
 * placements and steps are not known for a part of the time.
 */
final class WindowPage
{
    private static final LatencySummary UNKNOWN = new LatencySummary(0, Double.NaN, null, null, null, null);

    private WindowPage()
    {
    }

    static RunReport report(
        final WindowReport window, final RunHistory history, final ServiceLevel level,
        final Map<String, String> settings)
    {
        final RunFigures run = new RunFigures(history, level);
        final List<PastRequest> requests = history.requests();
        final List<RankPrefixCache> caches = window.ranks().stream().map(rank -> new RankPrefixCache(rank.rank(),
            rank.hitRate(), Double.NaN, rank.requests(), 0, 0)).toList();
        final long tokens = window.ranks().stream().mapToLong(WindowReport.WindowRank::tokens).sum();
        return new RunReport(window.requests(),
            new Latencies(window.latency().ttft(), window.latency().tpot(), UNKNOWN, window.latency().e2e(), null),
            new Throughput(window.load().completionsPerSecond(), window.load().outputTokensPerSecond(), 0),
            level == null ? null : new Goodput(level, window.goodput().requests(), window.goodput().counted(),
                window.goodput().share(), window.goodput().requestsPerSecond(), List.of()),
            new PrefixCache(RunFigures.hitRate(requests), Double.NaN,
                requests.stream().mapToLong(PastRequest::cachedTokens).sum(),
                requests.stream().mapToLong(PastRequest::promptTokens).sum(), 0, 0, 0, 0, caches),
            new Steps(0, 0, tokens, window.ranks().stream().map(WindowReport.WindowRank::tokens).toList(),
                window.faults().preemptions(), 0, 0, 0),
            null, List.of(),
            new RunReport.Placements(RouterConfig.label(settings), 0, Map.of(), 0, 0, 0, 0, Map.of()), null, null,
            window.ranks().stream().map(rank -> new RankOccupancy(rank.rank(), rank.kvUse(), RunFigures.max(
                run.levels.means(RunHistory.blocks(rank.rank()))) / history.blocksPerRank())).toList(),
            null, history.lengthNanos());
    }
}
