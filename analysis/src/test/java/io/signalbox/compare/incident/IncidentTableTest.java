// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare.incident;

import io.signalbox.compare.ComparisonProgress;
import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.ScoredDpRouter;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class IncidentTableTest
{
    /** Incidents with a limit. */
    private static final List<ReportedIncident> JUDGED = Arrays.stream(ReportedIncident.values())
        .filter(incident -> !Double.isInfinite(incident.limit())).toList();

    /** Prefers the rank with the most requests, and of these the first one. */
    private static final class Pinning extends ScoredDpRouter
    {
        @Override
        protected double score(final PlacementBatch batch, final int request, final int rank)
        {
            final double score = rank - (double)batch.ranks() * batch.activeRequests(rank);
            batch.candidate(request, rank, score, batch.uncachedTokens(request, rank), 0, 0);
            return score;
        }
    }

    private static final class PinningProvider extends DpRouterProvider
    {
        PinningProvider()
        {
            super("pinning", 1, "Most requests.");
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new Pinning();
        }
    }

    private static final class StandstillProvider extends DpRouterProvider
    {
        StandstillProvider()
        {
            super("standstill", 1, "Stops.");
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new Standstill();
        }
    }

    /** Places the first batch only. */
    private static final class Standstill implements DpRouter
    {
        private final DpRouter pinning = new Pinning();
        private boolean placedOne;

        @Override
        public void place(final PlacementBatch batch)
        {
            if (!placedOne)
            {
                pinning.place(batch);
                placedOne = true;
            }
        }

        @Override
        public boolean readsMatches()
        {
            return false;
        }

        @Override
        public long digest()
        {
            return 0;
        }
    }

    private static List<IncidentFinding> findings(final RouterConfig... routers)
    {
        return IncidentTable.of(List.of(routers), 2, ComparisonProgress.NONE);
    }

    private static List<ReportedIncident> happened(final List<IncidentFinding> findings, final String router)
    {
        return findings.stream().filter(finding -> finding.router().equals(router) && finding.happened())
            .map(IncidentFinding::incident).toList();
    }

    @Test
    void shouldFindEachIncidentOfARouterThatPinsAndNoneOfOurs()
    {
        final List<IncidentFinding> findings =
            findings(RouterConfig.of(new PinningProvider()), RouterConfig.of("signalbox"));

        assertEquals(List.of(), happened(findings, "signalbox"), findings.toString());
        assertEquals(JUDGED, happened(findings, "pinning"), findings.toString());
        assertEquals(List.of("pinning", "signalbox"), findings.stream().map(IncidentFinding::router).distinct().toList());
    }

    @Test
    void shouldCallARunThatDoesNotEndAStandstill()
    {
        final IncidentFinding finding = new IncidentTrials()
            .of(ReportedIncident.RETIRING_REQUESTS, RouterConfig.of(new StandstillProvider()));

        assertTrue(Double.isNaN(finding.value()) && finding.happened(), finding.toString());
    }

    @Test
    void shouldCompareLoopsWithoutJudgingThem()
    {
        assertEquals(List.of(false, true), List.of(ReportedIncident.OPEN_LOOP.happens(1e9),
            ReportedIncident.OPEN_LOOP.happens(Double.NaN)));
    }
}
