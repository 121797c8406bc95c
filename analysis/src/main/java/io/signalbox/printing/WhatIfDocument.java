// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonInline;
import io.signalbox.report.RunReport;
import io.signalbox.whatif.ExpertFigures;
import io.signalbox.whatif.RunFigure;
import io.signalbox.whatif.WhatIfReport;
import io.signalbox.whatif.WhatIfReport.Change;
import io.signalbox.whatif.WhatIfReport.LatencyDifference;
import io.signalbox.whatif.WhatIfReport.Regret;
import io.signalbox.whatif.WhatIfReport.Start;
import io.signalbox.whatif.WhatIfReport.StepTimes;
import io.signalbox.whatif.WhatIfReport.TimesVerdict;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code whatif --json}. The unchanged re-run is compared with the record, a variant with the unchanged re-run:
 * <i>before</i> is the first of the two.
 *
 * @param path            directory of the journal
 * @param verdict         whether times of the re-runs can be compared
 * @param notRepeated     sentences about the record that the re-runs leave out
 * @param seedSpreadNanos with {@code --seeds}: arrivals of the second seed and of later ones are delayed by less; else 0
 * @param start           the time at which the re-runs begin; {@code null} if the whole run is re-run
 * @param stepTimes       step times of the re-runs
 * @param recorded        the run in the journal
 * @param variants        the re-runs with other settings
 * @param unchanged       the re-run with the recorded settings
 */
@DocumentSchema("signalbox.whatif/2")
public record WhatIfDocument(
    Path path,
    TimesVerdict verdict,
    List<String> notRepeated,
    long seedSpreadNanos,
    Start start,
    StepTimes stepTimes,
    Recorded recorded,
    List<ReRun> variants,
    ReRun unchanged)
{
    /**
     * The run in the journal.
     *
     * @param decisionDigest digest of all decisions and their times; equal runs have equal ones, with and without capture
     * @param figures        figures of the record
     * @param settings       run description, by the names of the journal
     */
    record Recorded(String decisionDigest, Map<String, RecordedFigure> figures, Map<String, String> settings)
    {
    }

    /**
     * A re-run.
     *
     * @param name      its name
     * @param changed   settings that differ from the record, by name
     * @param decisions its decisions, compared with those of the first run
     * @param requests  its requests, compared with those of the first run
     * @param latency   differences of latency
     * @param regret    regret of its placements
     * @param experts   load of experts; {@code null} without {@code --expert-devices}
     * @param figures   figures: {@code ttftP50Ms}, {@code ttftP99Ms}, {@code tpotP50Ms}, {@code tpotP99Ms}, {@code e2eP50Ms}
     *                  and {@code e2eP99Ms} are percentiles of latencies, {@code requestsPerSecond} and
     *                  {@code outputTokensPerSecond} completed requests and output tokens per logical second,
     *                  {@code tokenHitRate} matched over prompt tokens, {@code computedTokens} tokens that went through a
     *                  step, recomputed tokens included, {@code evictedBlocks}, {@code preemptions}, {@code pauses},
     *                  {@code steps}, {@code completed}, {@code refused}, {@code missedDeadlines},
     *                  {@code abortedByNewWeights} and {@code failed} counts, {@code goodputRequestsPerSecond}
     *                  and {@code goodputShare} as in {@code goodput} of {@code signalbox.simulate}, not measured without
     *                  {@code --slo}
     * @param seeds     with {@code --seeds}: differences of these figures to the unchanged re-run with the same arrivals
     */
    record ReRun(
        String name,
        Map<String, Change> changed,
        ComparedDecisions decisions,
        ComparedRequests requests,
        LatencyDifference latency,
        Regret regret,
        Experts experts,
        Map<String, ComparedFigure> figures,
        Map<String, SeedDifference> seeds)
    {
        private static ReRun of(final WhatIfReport.ReRun run, final RunReport before)
        {
            final Map<String, ComparedFigure> figures = new LinkedHashMap<>();
            for (final RunFigure figure : RunFigure.values())
            {
                final double value = figure.of(run.report());
                figures.put(figure.key(), new ComparedFigure(value, value - figure.of(before)));
            }
            final Map<String, SeedDifference> seeds = new LinkedHashMap<>();
            run.seeds().forEach((figure, difference) ->
                seeds.put(figure.key(), new SeedDifference(difference.mean(), difference.halfWidth())));
            return new ReRun(run.name(), run.changed(), new ComparedDecisions(run.decisions(), run.decisionDigest()),
                new ComparedRequests(run.report().requests(), run.requests()), run.latency(), run.regret(),
                run.experts() == null ? null : Experts.of(run.experts()), figures, seeds);
        }
    }

    /**
     * Decisions of both runs.
     *
     * @param decisions decisions of both runs
     * @param digest    as {@code recorded.decisionDigest}
     */
    record ComparedDecisions(@JsonInline WhatIfReport.Decisions decisions, String digest)
    {
    }

    /**
     * Requests of both runs.
     *
     * @param ends     how the requests of the re-run ended
     * @param requests requests of both runs
     */
    record ComparedRequests(@JsonInline RunReport.Requests ends, @JsonInline WhatIfReport.Requests requests)
    {
    }

    /**
     * A figure of the record.
     *
     * @param value its value; {@code null} if nothing was measured
     */
    record RecordedFigure(double value)
    {
    }

    /**
     * A figure of both runs.
     *
     * @param value      value of the re-run; {@code null} if nothing was measured
     * @param difference the value less the value of the first run; {@code null} if a run measured nothing
     */
    record ComparedFigure(double value, double difference)
    {
    }

    /**
     * A difference over seeds.
     *
     * @param meanDifference mean difference to the unchanged re-run; {@code null} if a run measured nothing
     * @param halfWidth      half of its 95 % confidence interval; {@code null} if a run measured nothing
     */
    record SeedDifference(double meanDifference, double halfWidth)
    {
    }

    /**
     * The load of experts.
     *
     * @param tokens           computed tokens whose experts are recorded, each as often as it was computed
     * @param unrecordedTokens other computed tokens; they count for no expert
     * @param hottest          the ten busiest experts of any layer
     * @param devices          devices that the experts of each layer are spread over
     * @param busiestOverEven  tokens of the busiest device of each layer, summed, over those of an even load, by placement
     */
    record Experts(
        long tokens,
        long unrecordedTokens,
        List<ExpertFigures.HotExpert> hottest,
        int devices,
        PlacementLoads busiestOverEven)
    {
        private static Experts of(final ExpertFigures found)
        {
            return new Experts(found.tokens(), found.unrecorded(), found.hottest(), found.devices(),
                new PlacementLoads(found.inOrder(), found.striped(), found.ofUnchanged(), found.balanced()));
        }
    }

    /**
     * Loads of the busiest devices over an even load, 1 is ideal.
     *
     * @param inOrder              experts with consecutive ids on a device; {@code null} without tokens
     * @param striped              expert e on the device e modulo the number of devices; {@code null} without tokens
     * @param balancedForUnchanged the placement that balances the load of the unchanged re-run; {@code null} without tokens
     * @param balanced             the placement that balances the load of this re-run; {@code null} without tokens
     */
    record PlacementLoads(double inOrder, double striped, double balancedForUnchanged, double balanced)
    {
    }

    public static WhatIfDocument of(final Path journal, final WhatIfReport report)
    {
        final WhatIfReport.Recorded recorded = report.recorded();
        final Map<String, RecordedFigure> figures = new LinkedHashMap<>();
        for (final RunFigure figure : RunFigure.values())
        {
            figures.put(figure.key(), new RecordedFigure(figure.of(recorded.report())));
        }
        return new WhatIfDocument(journal, report.verdict(), report.notRepeated(), report.spreadNanos(), recorded.start(),
            recorded.stepTimes(), new Recorded(recorded.decisionDigest(), figures, recorded.settings()),
            report.variants().stream().map(variant -> ReRun.of(variant, report.unchanged().report())).toList(),
            ReRun.of(report.unchanged(), recorded.report()));
    }
}
