// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare.incident;

import io.signalbox.compare.Figure;
import io.signalbox.report.RunReport;
import io.signalbox.report.RunReport.RankPrefixCache;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.RouterException;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.workload.Arrivals;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.SizeDistribution;
import io.signalbox.workload.SplitMix64;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadPreset;

import java.util.Comparator;

/** Simulates the scenarios of incidents. */
final class IncidentTrials
{
    private static final int BLOCK_TOKENS = 64;
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1000 * MILLI;
    private static final double MILLIS_PER_SECOND = 1000;

    /** Requests per second of the waves with least-loaded; 0 until they are measured. */
    private double leastLoaded;

    IncidentFinding of(final ReportedIncident incident, final RouterConfig router)
    {
        try
        {
            return IncidentFinding.of(incident, router.label(), value(incident, router));
        }
        catch (final RouterException e)
        {
            return e.isStandstill() ? IncidentFinding.of(incident, router.label(), Double.NaN) :
                IncidentFinding.failed(incident, router.label(), e.fault());
        }
    }

    private double value(final ReportedIncident incident, final RouterConfig router)
    {
        return switch (incident)
        {
            case SATURATED_ENGINE -> reusedShare(router);
            case EQUAL_SCORES -> busiestShare(equalScores(router));
            case WAVES -> Figure.REQUESTS_PER_SECOND.of(waves(router)) / leastLoaded();
            case COMPLETIONS_AS_LOAD -> shareBesideTheLongRequest(router);
            case MISSES_ON_ONE_RANK -> ranksInUse(router);
            case CONVERSATIONS_IN_TURN -> Figure.RANK_LOAD_MAX_OVER_MEAN.of(conversations(router));
            case RETIRING_REQUESTS -> retiring(router);
            case GROUP_OF_SAMPLES -> busiestShare(samples(router));
            case CLOSED_LOOP -> Figure.TTFT_P90.of(loop(router, 80)) / MILLIS_PER_SECOND;
            case OPEN_LOOP -> Figure.TTFT_P90.of(loop(router, 0)) / MILLIS_PER_SECOND;
        };
    }

    private static SchedulerConfig.Builder ranks(final int count, final RouterConfig router)
    {
        return SchedulerConfig.builder().ranks(count).blockSizeTokens(BLOCK_TOKENS).kvBlocks(4097).router(router);
    }

    private static RunReport run(final SchedulerConfig.Builder scheduler, final Workload workload)
    {
        return new Simulation(scheduler.build(), SimulationConfig.DEFAULT, workload).run();
    }

    private static double reusedShare(final RouterConfig router)
    {
        final IncidentRequests requests = new IncidentRequests();
        long reusable = 0;
        for (int session = 0; session < 16; session++)
        {
            final boolean isLong = session % 4 == 0;
            final int output = isLong ? 200 : 100;
            int prompt = isLong ? 16_384 : 1024;
            long last = requests.arriving(session * 100 * MILLI, prompt, output);
            for (int turn = 1; turn < 12; turn++)
            {
                // The last token of an answer is not computed.
                reusable += (prompt + output - 1) / BLOCK_TOKENS * BLOCK_TOKENS;
                prompt += output + (isLong ? 2048 : 256);
                last = requests.following(last, SECOND / 2, prompt, output);
            }
        }
        final RunReport report = run(ranks(4, router).kvBlocks(1201), requests);
        return (double)report.prefixCache().matchedTokens() / reusable;
    }

    private static double busiestShare(final RunReport report)
    {
        return (double)busiest(report, Comparator.comparingLong(RankPrefixCache::admittedRequests)).admittedRequests() /
            report.requests().submitted();
    }

    private static RankPrefixCache busiest(final RunReport report, final Comparator<RankPrefixCache> by)
    {
        return report.prefixCache().ranks().stream().max(by).orElseThrow();
    }

    private static RunReport equalScores(final RouterConfig router)
    {
        final IncidentRequests requests = new IncidentRequests().sharing(4096);
        for (int i = 0; i < 64; i++)
        {
            requests.arriving(MILLI, 4096 + 64, 64);
        }
        return new Simulation(ranks(8, router).build(), SimulationConfig.DEFAULT, requests,
            requests.cachedOn(8, 8, BLOCK_TOKENS)).run();
    }

    private static RunReport waves(final RouterConfig router)
    {
        final IncidentRequests requests = new IncidentRequests();
        final SplitMix64 random = new SplitMix64(3);
        for (int client = 0; client < 100; client++)
        {
            long last = requests.arriving(client * MILLI, 800 + random.nextInt(201), 800 + random.nextInt(201));
            for (int i = 1; i < 4; i++)
            {
                last = requests.after(last, 800 + random.nextInt(201), 800 + random.nextInt(201));
            }
        }
        return run(ranks(8, router), requests);
    }

    private synchronized double leastLoaded()
    {
        if (leastLoaded == 0)
        {
            leastLoaded = Figure.REQUESTS_PER_SECOND.of(waves(RouterConfig.of("least-loaded")));
        }
        return leastLoaded;
    }

    private static double shareBesideTheLongRequest(final RouterConfig router)
    {
        final IncidentRequests requests = new IncidentRequests();
        requests.arriving(0, 60_000, 1500);
        final int sessions = 60;
        for (int i = 0; i < sessions; i++)
        {
            requests.arriving((i + 1) * 200 * MILLI, 512, 50);
        }
        final RankPrefixCache rank =
            busiest(run(ranks(4, router), requests), Comparator.comparingLong(RankPrefixCache::promptTokens));
        return (rank.admittedRequests() - 1.0) / sessions;
    }

    private static double ranksInUse(final RouterConfig router)
    {
        final IncidentRequests requests = new IncidentRequests();
        long last = requests.arriving(0, 2000, 20);
        for (int i = 1; i < 64; i++)
        {
            last = requests.after(last, 2000, 20);
        }
        return run(ranks(8, router), requests).prefixCache().ranks().stream()
            .filter(rank -> rank.admittedRequests() > 0).count();
    }

    private static RunReport conversations(final RouterConfig router)
    {
        return run(ranks(8, router).lockStep(true),
            GeneratedWorkload.of(WorkloadPreset.SKEWED.builder().conversations(160).build()));
    }

    private static double retiring(final RouterConfig router)
    {
        final IncidentRequests requests = new IncidentRequests();
        final SplitMix64 random = new SplitMix64(7);
        for (int i = 0; i < 200; i++)
        {
            requests.arriving(Math.max(0, i - 32) / 8 * 100 * MILLI, 64 + random.nextInt(512), 1 + random.nextInt(2));
        }
        final RunReport report = run(ranks(4, router).lockStep(true).depth(2).maxRunning(4), requests);
        return report.requests().completed() < 200 ? Double.NaN : busiestShare(report) * 4;
    }

    private static RunReport samples(final RouterConfig router)
    {
        final IncidentRequests requests = new IncidentRequests().sharing(4096);
        for (int i = 0; i < 32; i++)
        {
            requests.arriving((i + 1) * 50 * MILLI, 4096 + 1, 512);
        }
        return new Simulation(ranks(8, router).build(), SimulationConfig.DEFAULT, requests,
            requests.cachedOn(1, 8, BLOCK_TOKENS)).run();
    }

    /** @param clients 0: open loop. */
    private static RunReport loop(final RouterConfig router, final int clients)
    {
        final GeneratedWorkloadConfig.Builder workload = GeneratedWorkloadConfig.builder().conversations(160)
            .turns(new SizeDistribution.Lognormal(4.0, 0.7, 1, 16)).clients(clients).meanThinkTimeNanos(SECOND)
            .userTokens(new SizeDistribution.Lognormal(800.0, 1.0, 8, 8192))
            .arrivals(new Arrivals.Poisson(clients > 0 ? 100.0 : 10.0));
        return run(ranks(2, router).kvBlocks(1537), GeneratedWorkload.of(workload.build()));
    }
}
