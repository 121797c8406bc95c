// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.Quantiles;
import io.signalbox.stats.RequestOutcome;
import io.signalbox.whatif.WhatIfReport.TimesVerdict;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Says whether times of re-runs can be compared, by how the unchanged re-run repeats the times of the record. */
final class ReRunTimes
{
    /** A re-run that is further off than this is not trusted. */
    private static final double WORST_PERCENT = 15;
    private static final double LEAST_WITHIN_PERCENT = 2;

    private ReRunTimes()
    {
    }

    /** Latencies of the requests that completed in both runs. */
    private static final class Pairs
    {
        private final List<RequestOutcome[]> pairs = new ArrayList<>();

        private Pairs(final RunOutcome recorded, final RunOutcome unchanged)
        {
            for (final RequestOutcome was : recorded.requests())
            {
                final RequestOutcome is = unchanged.request(was.requestId());
                if (is != null && was.isCompleted() && is.isCompleted() && was.hasFirstToken() && is.hasFirstToken())
                {
                    pairs.add(new RequestOutcome[] {was, is});
                }
            }
        }

        /** Of the median of the re-run; NaN if no request has the latency. */
        private double percent(final ToDoubleFunction<RequestOutcome> latency)
        {
            final double was = median(0, latency);
            return 100 * (median(1, latency) / was - 1);
        }

        private double median(final int run, final ToDoubleFunction<RequestOutcome> latency)
        {
            final double[] sorted = pairs.stream().mapToDouble(pair -> latency.applyAsDouble(pair[run]))
                .filter(value -> !Double.isNaN(value)).sorted().toArray();
            return sorted.length == 0 ? Double.NaN : sorted[Quantiles.index(sorted.length, 50)];
        }
    }

    /** @param contradictions clauses about parts of the step cost that the record contradicts. */
    static TimesVerdict of(final RunOutcome recorded, final RunOutcome unchanged, final List<String> contradictions)
    {
        final Pairs pairs = new Pairs(recorded, unchanged);
        final double ttft = pairs.percent(RequestOutcome::ttftNanos);
        final double tpot = pairs.percent(ReRunTimes::tpotNanos);
        final int compared = pairs.pairs.size();
        if (recorded.digest().equals(unchanged.digest()))
        {
            return new TimesVerdict("the re-run repeats every step and time of the record; times may be compared", true, 0,
                ttft, tpot, compared);
        }
        final double worst = Math.max(Math.abs(ttft), Double.isNaN(tpot) ? 0 : Math.abs(tpot));
        final String differences = Double.isNaN(ttft) ? "no request completed in both runs" : "the re-run is " +
            words(ttft) + " in TTFT p50" + (Double.isNaN(tpot) ? "" : " and " + words(tpot) + " in TPOT p50");
        if (!(worst <= WORST_PERCENT) || !contradictions.isEmpty())
        {
            return new TimesVerdict("do not trust times, only decisions and hit rates: " + differences +
                contradictions.stream().map(clause -> "; " + clause).reduce("", String::concat), false, Double.NaN, ttft,
                tpot, compared);
        }
        final double within = Math.max(LEAST_WITHIN_PERCENT, Math.ceil(2 * worst));
        return new TimesVerdict(differences + "; times may be compared within ±" + Math.round(within) + " %", true, within,
            ttft, tpot, compared);
    }

    private static double tpotNanos(final RequestOutcome request)
    {
        final int gaps = request.generatedTokens() - 1;
        return gaps < 1 ? Double.NaN : (double)(request.e2eNanos() - request.ttftNanos()) / gaps;
    }

    private static String words(final double percent)
    {
        return String.format(Locale.ROOT, "%.1f %% %s", Math.abs(percent), percent < 0 ? "fast" : "slow");
    }
}
