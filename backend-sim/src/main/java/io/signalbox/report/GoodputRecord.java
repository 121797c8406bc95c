// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.report.RunReport.Goodput;
import io.signalbox.report.RunReport.RankGoodput;
import io.signalbox.report.RunReport.TenantGoodput;
import io.signalbox.state.RunRequest;

import java.util.ArrayList;
import java.util.List;

/**
 * Counts the requests that met a service level. A request that missed its deadline, was aborted by new weights, failed or
 * was refused did not meet it. Requests that their client cancelled are not counted, nor are requests whose first token is
 * earlier than what is read.
 */
final class GoodputRecord
{
    private static final double NANOS_PER_SECOND = 1e9;

    private final ServiceLevel level;
    private final long[] metOfRank;
    private final long[] countedOfRank;
    private long met;
    private long counted;

    GoodputRecord(final ServiceLevel level, final int ranks)
    {
        this.level = level;
        metOfRank = new long[ranks];
        countedOfRank = new long[ranks];
    }

    void completed(final RunRequest request, final TenantRecord tenant, final long nowNanos)
    {
        if (request.tokens() > 0 && request.firstTokenNanos() == RunRequest.UNKNOWN)
        {
            return;
        }
        final long ttft = request.tokens() == 0 ? 0 : request.firstTokenNanos() - request.submitNanos();
        final boolean isMet = level.isMet(ttft, request.tpotNanos(), nowNanos - request.submitNanos());
        count(request.admittedRank(), tenant, isMet);
    }

    /** @param rank -1: none. */
    void failed(final int rank, final TenantRecord tenant)
    {
        count(rank, tenant, false);
    }

    private void count(final int rank, final TenantRecord tenant, final boolean isMet)
    {
        counted++;
        met += isMet ? 1 : 0;
        if (rank >= 0)
        {
            countedOfRank[rank]++;
            metOfRank[rank] += isMet ? 1 : 0;
        }
        if (tenant != null)
        {
            tenant.judged(isMet);
        }
    }

    Goodput figures(final long elapsedNanos)
    {
        final List<RankGoodput> ranks = new ArrayList<>();
        for (int i = 0; i < metOfRank.length; i++)
        {
            ranks.add(new RankGoodput(i, metOfRank[i], countedOfRank[i], share(metOfRank[i], countedOfRank[i]),
                perSecond(metOfRank[i], elapsedNanos)));
        }
        return new Goodput(level, met, counted, share(met, counted), perSecond(met, elapsedNanos), ranks);
    }

    static TenantGoodput of(final long met, final long counted, final long elapsedNanos)
    {
        return new TenantGoodput(met, counted, share(met, counted), perSecond(met, elapsedNanos));
    }

    private static double share(final long met, final long counted)
    {
        return counted == 0 ? Double.NaN : (double)met / counted;
    }

    private static double perSecond(final long met, final long elapsedNanos)
    {
        return elapsedNanos == 0 ? Double.NaN : met / (elapsedNanos / NANOS_PER_SECOND);
    }
}
