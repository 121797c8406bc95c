// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.compare.Estimate;
import io.signalbox.report.RunReport;
import io.signalbox.whatif.RunFigure;
import io.signalbox.whatif.WhatIfReport;
import io.signalbox.whatif.WhatIfReport.Candidate;
import io.signalbox.whatif.WhatIfReport.Change;
import io.signalbox.whatif.WhatIfReport.ChangedDecision;
import io.signalbox.whatif.WhatIfReport.Count;
import io.signalbox.whatif.WhatIfReport.Decisions;
import io.signalbox.whatif.WhatIfReport.Distribution;
import io.signalbox.whatif.WhatIfReport.Divergence;
import io.signalbox.whatif.WhatIfReport.LatencyDifference;
import io.signalbox.whatif.WhatIfReport.ReRun;
import io.signalbox.whatif.WhatIfReport.Regret;
import io.signalbox.whatif.WhatIfReport.RegrettedPlacement;
import io.signalbox.whatif.WhatIfReport.Requests;
import io.signalbox.whatif.WhatIfReport.ScoreTable;
import io.signalbox.whatif.WhatIfReport.SlowerRequest;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** The answer to a what-if as JSON. */
public final class WhatIfJson
{
    private WhatIfJson()
    {
    }

    public static String text(final Path journal, final WhatIfReport report)
    {
        return Json.text("signalbox.whatif/1", json ->
        {
            json.writeStringField("path", journal.toString());
            json.writeArrayFieldStart("notRepeated");
            for (final String sentence : report.notRepeated())
            {
                json.writeString(sentence);
            }
            json.writeEndArray();
            Json.decimal(json, "seedSpreadMs", Decimals.milliseconds(report.spreadNanos()));
            json.writeFieldName("start");
            start(json, report.recorded().start());
            Json.object(json, "stepTimes", body -> stepTimes(json, report.recorded().stepTimes()));
            Json.object(json, "recorded", body ->
            {
                json.writeStringField("decisionDigest", report.recorded().decisionDigest());
                figures(json, report.recorded().report(), null);
                Json.object(json, "settings", settings -> strings(json, report.recorded().settings()));
            });
            Json.object(json, "unchanged", body -> reRun(json, report.unchanged(), report.recorded().report()));
            json.writeArrayFieldStart("variants");
            for (final ReRun variant : report.variants())
            {
                json.writeStartObject();
                reRun(json, variant, report.unchanged().report());
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    /** @param start {@code null}: of the run. */
    private static void start(final JsonGenerator json, final WhatIfReport.Start start) throws IOException
    {
        if (start == null)
        {
            json.writeNull();
            return;
        }
        json.writeStartObject();
        Json.decimal(json, "seconds", Decimals.seconds(start.fromNanos()));
        json.writeNumberField("cachedBlocks", start.cachedBlocks());
        json.writeNumberField("begunBefore", start.begunBefore());
        json.writeEndObject();
    }

    private static void stepTimes(final JsonGenerator json, final WhatIfReport.StepTimes times) throws IOException
    {
        json.writeStringField("source", times.source());
        json.writeNumberField("fittedSteps", times.steps());
        Json.real(json, "meanErrorPercent", times.meanErrorPercent());
        Json.real(json, "worstErrorPercent", times.worstErrorPercent());
        Json.object(json, "cost", body -> strings(json, times.cost()));
    }

    private static void strings(final JsonGenerator json, final Map<String, String> texts) throws IOException
    {
        for (final Map.Entry<String, String> text : texts.entrySet())
        {
            json.writeStringField(text.getKey(), text.getValue());
        }
    }

    private static void reRun(final JsonGenerator json, final ReRun run, final RunReport before) throws IOException
    {
        json.writeStringField("name", run.name());
        json.writeObjectFieldStart("changed");
        for (final Map.Entry<String, Change> setting : run.changed().entrySet())
        {
            json.writeObjectFieldStart(setting.getKey());
            json.writeStringField("before", setting.getValue().before());
            json.writeStringField("after", setting.getValue().after());
            json.writeEndObject();
        }
        json.writeEndObject();
        Json.object(json, "decisions", body -> decisions(json, run.decisions(), run.decisionDigest()));
        Json.object(json, "requests", body -> requests(json, run.requests(), run.report().requests()));
        Json.object(json, "latency", body -> latency(json, run.latency()));
        Json.object(json, "regret", body -> regret(json, run.regret()));
        json.writeFieldName("experts");
        ExpertFiguresJson.write(json, run.experts());
        figures(json, run.report(), before);
        json.writeObjectFieldStart("seeds");
        for (final Map.Entry<RunFigure, Estimate> figure : run.seeds().entrySet())
        {
            json.writeObjectFieldStart(figure.getKey().key());
            Json.real(json, "meanDifference", figure.getValue().mean());
            Json.real(json, "halfWidth", figure.getValue().halfWidth());
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private static void regret(final JsonGenerator json, final Regret regret) throws IOException
    {
        json.writeNumberField("placements", regret.placements());
        json.writeNumberField("notLowestScore", regret.notLowest());
        Json.real(json, "score", regret.score());
        Json.recorded(json, "lessCached", regret.lessCached());
        Json.recorded(json, "cachedTokens", regret.tokens());
        json.writeNumberField("bestRequests", regret.best());
        distribution(json, "hindsightMs", regret.hindsight());
        json.writeArrayFieldStart("worst");
        for (final RegrettedPlacement placement : regret.worst())
        {
            json.writeStartObject();
            json.writeNumberField("requestId", placement.requestId());
            json.writeNumberField("rank", placement.rank());
            Json.decimal(json, "lostMs", Decimals.milliseconds(placement.lostNanos()));
            json.writeStringField("bestRun", placement.bestRun());
            json.writeNumberField("bestRank", placement.bestRank());
            Json.real(json, "score", placement.score());
            Json.recorded(json, "cachedTokens", placement.tokens());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void decisions(final JsonGenerator json, final Decisions decisions, final String digest)
        throws IOException
    {
        json.writeNumberField("total", decisions.total());
        json.writeNumberField("different", decisions.different());
        json.writeNumberField("unfinished", decisions.unfinished());
        json.writeStringField("digest", digest);
        count(json, "placements", decisions.placements());
        count(json, "admissions", decisions.admissions());
        count(json, "preemptions", decisions.preemptions());
        count(json, "outcomes", decisions.outcomes());
        json.writeFieldName("firstPlacement");
        divergence(json, decisions.first());
        json.writeArrayFieldStart("list");
        for (final ChangedDecision change : decisions.list())
        {
            json.writeStartObject();
            json.writeNumberField("requestId", change.requestId());
            json.writeStringField("kind", change.kind());
            Json.decimal(json, "seconds", Decimals.seconds(change.atNanos()));
            json.writeStringField("before", change.before());
            json.writeStringField("after", change.after());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void count(final JsonGenerator json, final String name, final Count count) throws IOException
    {
        json.writeObjectFieldStart(name);
        json.writeNumberField("total", count.total());
        json.writeNumberField("different", count.different());
        json.writeEndObject();
    }

    private static void divergence(final JsonGenerator json, final Divergence first) throws IOException
    {
        if (first == null)
        {
            json.writeNull();
            return;
        }
        json.writeStartObject();
        json.writeNumberField("requestId", first.requestId());
        table(json, "before", first.before());
        table(json, "after", first.after());
        json.writeEndObject();
    }

    private static void table(final JsonGenerator json, final String name, final ScoreTable table) throws IOException
    {
        json.writeFieldName(name);
        if (table == null)
        {
            json.writeNull();
            return;
        }
        json.writeStartObject();
        Json.decimal(json, "seconds", Decimals.seconds(table.atNanos()));
        json.writeNumberField("rank", table.rank());
        json.writeStringField("tieRule", EnumNames.label(table.tieRule()));
        json.writeArrayFieldStart("candidates");
        for (final Candidate candidate : table.candidates())
        {
            json.writeStartObject();
            json.writeNumberField("rank", candidate.rank());
            Json.real(json, "score", candidate.score());
            Json.real(json, "newWork", candidate.newWork());
            Json.real(json, "loadTerm", candidate.loadTerm());
            json.writeNumberField("loadTokens", candidate.loadTokens());
            Json.recorded(json, "matchedTokens", candidate.matchedTokens());
            json.writeNumberField("activeRequests", candidate.activeRequests());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void requests(final JsonGenerator json, final Requests requests, final RunReport.Requests ends)
        throws IOException
    {
        json.writeNumberField("submitted", ends.submitted());
        json.writeNumberField("completed", ends.completed());
        json.writeNumberField("cancelled", ends.cancelled());
        json.writeNumberField("failed", ends.failed());
        json.writeNumberField("refused", ends.refused());
        json.writeNumberField("unfinished", ends.unfinished());
        json.writeNumberField("compared", requests.compared());
        json.writeNumberField("completedOnlyBefore", requests.onlyBefore());
        json.writeNumberField("completedOnlyAfter", requests.onlyAfter());
        json.writeNumberField("notSubmitted", requests.notSubmitted());
        json.writeNumberField("faster", requests.faster());
        json.writeNumberField("slower", requests.slower());
        json.writeNumberField("equal", requests.equal());
        json.writeNumberField("otherRank", requests.otherRank());
        json.writeNumberField("fewerCachedTokens", requests.fewerCached());
        json.writeNumberField("moreCachedTokens", requests.moreCached());
    }

    private static void latency(final JsonGenerator json, final LatencyDifference latency) throws IOException
    {
        distribution(json, "ttftDifferenceMs", latency.ttft());
        distribution(json, "e2eDifferenceMs", latency.e2e());
        json.writeArrayFieldStart("worst");
        for (final SlowerRequest request : latency.worst())
        {
            json.writeStartObject();
            json.writeNumberField("requestId", request.requestId());
            Json.decimal(json, "beforeMs", Decimals.milliseconds(request.beforeNanos()));
            Json.decimal(json, "afterMs", Decimals.milliseconds(request.afterNanos()));
            json.writeNumberField("rankBefore", request.rankBefore());
            json.writeNumberField("rankAfter", request.rankAfter());
            json.writeArrayFieldStart("reasons");
            for (final String reason : request.reasons())
            {
                json.writeString(reason);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void distribution(final JsonGenerator json, final String name, final Distribution values)
        throws IOException
    {
        json.writeObjectFieldStart(name);
        json.writeNumberField("count", values.count());
        Json.real(json, "mean", values.meanNanos() / 1e6);
        Json.decimal(json, "min", Decimals.milliseconds(values.minNanos()));
        Json.decimal(json, "p1", Decimals.milliseconds(values.p1Nanos()));
        Json.decimal(json, "p50", Decimals.milliseconds(values.p50Nanos()));
        Json.decimal(json, "p99", Decimals.milliseconds(values.p99Nanos()));
        Json.decimal(json, "max", Decimals.milliseconds(values.maxNanos()));
        json.writeEndObject();
    }

    /** @param before {@code null}: without differences. */
    private static void figures(final JsonGenerator json, final RunReport report, final RunReport before)
        throws IOException
    {
        json.writeObjectFieldStart("figures");
        for (final RunFigure figure : RunFigure.values())
        {
            json.writeObjectFieldStart(figure.key());
            Json.real(json, "value", figure.of(report));
            if (before != null)
            {
                Json.real(json, "difference", figure.of(report) - figure.of(before));
            }
            json.writeEndObject();
        }
        json.writeEndObject();
    }
}
