// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare.incident;

import io.signalbox.InvariantViolation;
import io.signalbox.compare.ComparisonProgress;
import io.signalbox.config.SettingValues;
import io.signalbox.printing.incident.IncidentReport;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.ScoredDpRouter;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
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

    private static final class FaultyProvider extends DpRouterProvider
    {
        private final Throwable thrown;

        FaultyProvider(final Throwable thrown)
        {
            super("faulty", 1, "Throws.");
            this.thrown = thrown;
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new ScoredDpRouter()
            {
                @Override
                protected double score(final PlacementBatch batch, final int request, final int rank)
                {
                    if (thrown instanceof final Error error)
                    {
                        throw error;
                    }
                    throw (RuntimeException)thrown;
                }
            };
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

        assertTrue(Double.isNaN(finding.value()) && finding.happened() && finding.failure() == null, finding.toString());
    }

    @Test
    void shouldTellARouterThatThrowsFromAStandstill()
    {
        final IncidentFinding finding = new IncidentTrials()
            .of(ReportedIncident.OPEN_LOOP, RouterConfig.of(new FaultyProvider(new IllegalStateException("no map"))));

        assertEquals("threw java.lang.IllegalStateException: no map", finding.failure());
        assertFalse(finding.happened(), finding.toString());
    }

    @Test
    void shouldNotReportOurBrokenInvariantAsAFindingOfTheRouter()
    {
        final RouterConfig router = RouterConfig.of(new FaultyProvider(new InvariantViolation("planted")));
        final InvariantViolation violation = assertThrows(InvariantViolation.class,
            () -> new IncidentTrials().of(ReportedIncident.OPEN_LOOP, router));

        assertEquals("planted", violation.getMessage());
    }

    /** A router without a figure has no place in an order, and the reason of a failure is printed. */
    @Test
    void shouldGivePlacesOnlyToRoutersWithAFigure()
    {
        final List<IncidentFinding> findings = new ArrayList<>();
        for (final String router : List.of("stands", "fails", "slow", "fast"))
        {
            for (final ReportedIncident incident : ReportedIncident.values())
            {
                findings.add(router.equals("fails") ? IncidentFinding.failed(incident, router, "threw up") :
                    IncidentFinding.of(incident, router, router.equals("stands") ? Double.NaN :
                        router.equals("slow") ? 2 : 1));
            }
        }
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        IncidentReport.print(new PrintStream(bytes, false, StandardCharsets.UTF_8), findings);
        final String text = bytes.toString(StandardCharsets.UTF_8);
        final List<String> lines = text.lines().toList();

        assertTrue(lines.get(1).startsWith("stands ") && lines.get(1).endsWith(" standstill!   standstill!"), text);
        assertTrue(lines.get(2).matches("fails .* failed +failed"), text);
        assertTrue(lines.get(3).endsWith(" 2.00 s (2)    2.00 s (2)"), text);
        assertTrue(lines.get(4).endsWith(" 1.00 s (1)    1.00 s (1)"), text);
        assertTrue(text.contains("failed: fails in I9 open: the router threw up\n"), text);
    }

    @Test
    void shouldCompareLoopsWithoutJudgingThem()
    {
        assertEquals(List.of(false, true), List.of(ReportedIncident.OPEN_LOOP.happens(1e9),
            ReportedIncident.OPEN_LOOP.happens(Double.NaN)));
    }
}
