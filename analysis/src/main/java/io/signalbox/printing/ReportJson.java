// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.event.codec.TieRule;
import io.signalbox.report.RunReport;
import io.signalbox.report.WallClock;
import io.signalbox.scheduler.SchedulerConfig;

import java.io.IOException;
import java.util.Map;

/** The report of a run as JSON: times in milliseconds, rates from 0 to 1. */
public final class ReportJson
{
    private static final String SCHEMA = "signalbox.simulate/1";
    private static final int FIXED_BYTES = 1 << 15;
    private static final int RANK_BYTES = 1 << 9;
    private static final int LAYER_BYTES = 1 << 8;
    private static final double NANOS_PER_MILLISECOND = 1e6;

    private final JsonGenerator json;

    private ReportJson(final JsonGenerator json)
    {
        this.json = json;
    }

    /** Room that the document needs, unless paths and settings are very long. */
    public static long bytes(final SchedulerConfig config)
    {
        final int layers = config.capture() == null ? 0 : config.capture().moeLayers();
        return FIXED_BYTES + (long)config.ranks() * RANK_BYTES + (long)layers * LAYER_BYTES;
    }

    /**
     * @param journal   {@code null} if none was written.
     * @param wallClock {@code null} if the run was not measured.
     */
    public static String text(
        final Map<String, String> settings,
        final RunReport report,
        final Asked asked,
        final JournalFacts journal,
        final WallClock wallClock)
    {
        return Json.text(SCHEMA, json -> write(json, settings, report, asked, journal, wallClock));
    }

    /** The fields of the document but its schema, in an object that is open. */
    public static void write(
        final JsonGenerator json, final Map<String, String> settings, final RunReport report, final Asked asked,
        final JournalFacts journal, final WallClock wallClock) throws IOException
    {
        new ReportJson(json).write(settings, report, asked, journal, wallClock);
    }

    private void tenants(final RunReport report) throws IOException
    {
        json.writeArrayFieldStart("tenants");
        for (final RunReport.Tenant tenant : report.tenants())
        {
            json.writeStartObject();
            json.writeStringField("name", tenant.name());
            json.writeNumberField("submitted", tenant.submitted());
            json.writeNumberField("completed", tenant.completed());
            json.writeNumberField("servedTokens", tenant.servedTokens());
            latency("ttft", tenant.ttft());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void number(final String name, final Long value) throws IOException
    {
        json.writeFieldName(name);
        json.writeObject(value);
    }

    private void tokensPerRank(final RunReport report) throws IOException
    {
        json.writeArrayFieldStart("tokensPerRank");
        for (final long tokens : report.steps().tokensPerRank())
        {
            json.writeNumber(tokens);
        }
        json.writeEndArray();
    }

    private void write(
        final Map<String, String> settings,
        final RunReport report,
        final Asked asked,
        final JournalFacts journal,
        final WallClock wallClock) throws IOException
    {
        final boolean timed = report.simulatedNanos() > 0;
        Json.object(json, "requests", body ->
        {
            requests(report.requests());
            number("neverAsked", asked == null ? null : asked.neverAsked());
            number("leftOut", asked == null ? null : asked.leftOut());
        });
        Json.object(json, "latency", body ->
        {
            latency("ttft", report.latency().ttft());
            latency("tpot", report.latency().tpot());
            latency("itl", report.latency().itl());
            latency("e2e", report.latency().e2e());
        });
        Json.object(json, "throughput", body ->
        {
            rate(timed, "completedRequestsPerSecond", report.throughput().completedRequestsPerSecond());
            rate(timed, "outputTokensPerSecond", report.throughput().outputTokensPerSecond());
            json.writeNumberField("outputTokens", report.throughput().outputTokens());
        });
        Json.object(json, "prefixCache", body -> prefixCache(report.prefixCache()));
        json.writeNumberField("steps", report.steps().steps());
        json.writeNumberField("emptySteps", report.steps().emptySteps());
        json.writeNumberField("tokens", report.steps().tokens());
        tokensPerRank(report);
        json.writeNumberField("preemptions", report.steps().preemptions());
        json.writeNumberField("pauses", report.steps().pauses());
        json.writeNumberField("evictions", report.steps().evictions());
        Json.object(json, "inFlight", body -> inFlight(report.inFlight()));
        tenants(report);
        Json.object(json, "placements", body -> placements(report.placements()));
        events(report);
        occupancy(report);
        Json.object(json, "routedExperts", body -> routedExperts(report));
        journal(journal);
        Json.decimal(json, "simulatedSeconds", Decimals.seconds(report.simulatedNanos()));
        Json.object(json, "settings", body ->
        {
            for (final Map.Entry<String, String> setting : settings.entrySet())
            {
                json.writeStringField(setting.getKey(), setting.getValue());
            }
        });
        wallClock(wallClock);
    }

    private void inFlight(final RunReport.InFlight figures) throws IOException
    {
        json.writeNumberField("computeNanos", figures.computeNanos());
        json.writeNumberField("idleNanos", figures.idleNanos());
        json.writeNumberField("gaps", figures.gaps());
        json.writeNumberField("deadEntries", figures.deadEntries());
        json.writeNumberField("acceptedDrafts", figures.acceptedDrafts());
        json.writeNumberField("draftsAfterStop", figures.draftsAfterStop());
        json.writeNumberField("rejectedDrafts", figures.rejectedDrafts());
    }

    private void requests(final RunReport.Requests requests) throws IOException
    {
        json.writeNumberField("submitted", requests.submitted());
        json.writeNumberField("completed", requests.completed());
        json.writeNumberField("cancelled", requests.cancelled());
        json.writeNumberField("failed", requests.failed());
        json.writeNumberField("refused", requests.refused());
        json.writeNumberField("unfinished", requests.unfinished());
    }

    private void latency(final String name, final RunReport.LatencySummary summary) throws IOException
    {
        Json.object(json, name, body ->
        {
            json.writeNumberField("count", summary.count());
            final boolean known = summary.count() > 0;
            rate(known, "mean", summary.meanNanos() / NANOS_PER_MILLISECOND);
            time(known, "p50", summary.p50Nanos());
            time(known, "p90", summary.p90Nanos());
            time(known, "p99", summary.p99Nanos());
            time(known, "max", summary.maxNanos());
        });
    }

    private void prefixCache(final RunReport.PrefixCache cache) throws IOException
    {
        rate(cache.promptTokens() > 0, "tokenHitRate", cache.tokenHitRate());
        rate(cache.promptBlocks() > 0, "blockHitRate", cache.blockHitRate());
        json.writeNumberField("matchedTokens", cache.matchedTokens());
        json.writeNumberField("promptTokens", cache.promptTokens());
        json.writeNumberField("matchedBlocks", cache.matchedBlocks());
        json.writeNumberField("promptBlocks", cache.promptBlocks());
        json.writeNumberField("generatedBlocks", cache.generatedBlocks());
        json.writeNumberField("pendingBlocks", cache.pendingBlocks());
        json.writeArrayFieldStart("perRank");
        for (final RunReport.RankPrefixCache rank : cache.ranks())
        {
            json.writeStartObject();
            json.writeNumberField("rank", rank.rank());
            rate(rank.promptTokens() > 0, "tokenHitRate", rank.tokenHitRate());
            rate(rank.promptBlocks() > 0, "blockHitRate", rank.blockHitRate());
            json.writeNumberField("admittedRequests", rank.admittedRequests());
            json.writeNumberField("promptTokens", rank.promptTokens());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** Events that most runs do not have. */
    private void events(final RunReport report) throws IOException
    {
        if (report.faults() != null)
        {
            Json.object(json, "faults", body -> faults(report.faults()));
        }
        if (report.newWeights() != null)
        {
            Json.object(json, "newWeights", body -> newWeights(report.newWeights()));
        }
    }

    private void newWeights(final RunReport.NewWeights weights) throws IOException
    {
        json.writeNumberField("changes", weights.changes());
        json.writeNumberField("restarts", weights.requeued());
        json.writeNumberField("abortedRequests", weights.aborted());
        json.writeNumberField("mixedRequests", weights.mixed());
    }

    private void faults(final RunReport.Faults faults) throws IOException
    {
        Json.object(json, "injected", body ->
        {
            for (final Map.Entry<String, Long> fault : faults.injected().entrySet())
            {
                json.writeNumberField(fault.getKey(), fault.getValue());
            }
        });
        json.writeNumberField("notReached", faults.notReached());
        json.writeNumberField("failedSteps", faults.failedSteps());
        json.writeNumberField("timedOutSteps", faults.timedOutSteps());
        json.writeNumberField("withdrawnSteps", faults.withdrawnSteps());
        json.writeNumberField("ignoredReports", faults.ignoredReports());
        json.writeNumberField("resets", faults.resets());
        json.writeNumberField("restarts", faults.requeued());
        json.writeNumberField("failedRequests", faults.failedRequests());
        json.writeNumberField("refusedRequests", faults.refusedRequests());
        json.writeArrayFieldStart("lostRanks");
        for (final RunReport.RankDowntime rank : faults.ranks())
        {
            json.writeStartObject();
            json.writeNumberField("rank", rank.rank());
            json.writeNumberField("losses", rank.losses());
            Json.decimal(json, "downSeconds", Decimals.seconds(rank.downNanos()));
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void placements(final RunReport.Placements placements) throws IOException
    {
        json.writeStringField("configuredRouter", placements.configured());
        json.writeNumberField("placements", placements.count());
        Json.object(json, "byRouter", body ->
        {
            for (final Map.Entry<String, Long> router : placements.byRouter().entrySet())
            {
                json.writeNumberField(router.getKey(), router.getValue());
            }
        });
        json.writeNumberField("byFallback", placements.byFallback());
        json.writeNumberField("onHints", placements.onHints());
        json.writeNumberField("bound", placements.bound());
        json.writeNumberField("gateClosed", placements.gateClosed());
        Json.object(json, "ties", body ->
        {
            for (final Map.Entry<TieRule, Long> rule : placements.ties().entrySet())
            {
                json.writeNumberField(EnumNames.label(rule.getKey()), rule.getValue());
            }
        });
    }

    private void occupancy(final RunReport report) throws IOException
    {
        json.writeArrayFieldStart("blockOccupancy");
        for (final RunReport.RankOccupancy rank : report.blockOccupancy())
        {
            json.writeStartObject();
            json.writeNumberField("rank", rank.rank());
            rate(report.simulatedNanos() > 0, "mean", rank.mean());
            rate("peak", rank.peak());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void routedExperts(final RunReport report) throws IOException
    {
        final RunReport.RowCounts experts = report.routedExperts();
        final boolean routed = report.steps().tokens() > 0;
        json.writeNumberField("captured", experts.captured());
        json.writeNumberField("inherited", experts.inherited());
        json.writeNumberField("missing", experts.missing());
        json.writeFieldName("loadSkew");
        skew(routed ? experts.load() : null);
        json.writeArrayFieldStart("loadSkewPerLayer");
        for (final RunReport.ExpertSkew layer : experts.layers())
        {
            skew(routed ? layer : null);
        }
        json.writeEndArray();
    }

    private void skew(final RunReport.ExpertSkew skew) throws IOException
    {
        if (skew == null)
        {
            json.writeNull();
            return;
        }
        json.writeStartObject();
        rate("maxOverMean", skew.maxOverMean());
        rate("coefficientOfVariation", skew.coefficientOfVariation());
        json.writeEndObject();
    }

    private void journal(final JournalFacts journal) throws IOException
    {
        if (journal == null)
        {
            json.writeNullField("journal");
            return;
        }
        Json.object(json, "journal", body ->
        {
            json.writeStringField("path", journal.path().toString());
            json.writeNumberField("records", journal.records());
            json.writeNumberField("groups", journal.groups());
            json.writeNumberField("bytes", journal.bytes());
            json.writeStringField("digest", journal.digest());
            verdict(journal.verdict());
        });
    }

    private void verdict(final Verdict verdict) throws IOException
    {
        if (verdict.confirmed() == null)
        {
            json.writeNullField("verified");
        }
        else
        {
            json.writeBooleanField("verified", verdict.confirmed());
        }
        json.writeStringField("problem", verdict.problem());
        DifferenceReport.json(json, verdict.difference(), verdict.digests(), null);
    }

    private void wallClock(final WallClock wallClock) throws IOException
    {
        if (wallClock == null)
        {
            json.writeNullField("wallClock");
            return;
        }
        json.writeObjectFieldStart("wallClock");
        Json.decimal(json, "seconds", Decimals.seconds(wallClock.wallNanos()));
        rate("requestsPerSecond", wallClock.requestsPerSecond());
        rate("stepsPerSecond", wallClock.stepsPerSecond());
        rate("simulatedOverWall", wallClock.simulatedOverWall());
        json.writeEndObject();
    }

    private void rate(final String name, final double value) throws IOException
    {
        Json.real(json, name, value);
    }

    /** A figure that was not measured is null; a zero would be a measurement. */
    private void rate(final boolean known, final String name, final double value) throws IOException
    {
        Json.real(json, name, known ? value : Double.NaN);
    }

    private void time(final boolean known, final String name, final long nanos) throws IOException
    {
        if (known)
        {
            Json.decimal(json, name, Decimals.milliseconds(nanos));
        }
        else
        {
            json.writeNullField(name);
        }
    }
}
