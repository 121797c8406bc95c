// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.ScoredDpRouter;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.whatif.WhatIfReport.ChangedDecision;
import io.signalbox.workload.SplitMix64;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A difference between two policies is found as exactly the decisions that it changes, on requests made for that. */
class PlantedPolicyTest
{
    private static final int REQUESTS = 400;
    private static final SchedulerConfig CONFIG = SchedulerConfig.builder().ranks(5).kvBlocks(4000).build();

    /** Places by the request's id alone, and some requests one rank further if the knob says so. */
    private static final class IdRouter extends ScoredDpRouter
    {
        private static final Setting<Boolean> MOVES = Setting.flag("moves", false, "Whether some are moved.");
        private final boolean moves;

        private IdRouter(final boolean moves)
        {
            this.moves = moves;
        }

        private static final class Provider extends DpRouterProvider
        {
            private Provider()
            {
                super("by-id", 1, "The id decides.", MOVES);
            }

            @Override
            public DpRouter create(final SettingValues values, final int ranks)
            {
                return new IdRouter(values.get(MOVES));
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

        @Override
        protected long addedLoad(final PlacementBatch batch, final int request, final int rank)
        {
            return 0;
        }

        @Override
        protected double score(final PlacementBatch batch, final int request, final int rank)
        {
            final long id = batch.requestId(request);
            final long wanted = (id + (moves && isMoved(id) ? 1 : 0)) % batch.ranks();
            final double score = rank == wanted ? 0.0 : 1.0;
            batch.candidate(request, rank, score, batch.promptTokens(request), 0, 0);
            return score;
        }
    }

    private static boolean isMoved(final long id)
    {
        return SplitMix64.mix(11, id) % 17 == 3;
    }

    /** Requests that arrive in pairs; the prompts of a pair are equal if pairs share, all others are different. */
    private record Pairs(List<WorkloadRequest> requests, boolean share) implements Workload
    {
        private static Pairs of(final boolean share)
        {
            final List<WorkloadRequest> requests = new ArrayList<>();
            for (long id = 1; id <= REQUESTS; id++)
            {
                final long pair = (id - 1) / 2;
                // The second one of a pair arrives seconds after the first one has ended.
                final long arrival = pair * 7_000_000L + (id % 2 == 0 ? 60_000_000_000L : 0);
                requests.add(WorkloadRequest.arriving(id, arrival, 100 + (int)(pair % 90),
                    1 + (int)(id % 9)).ofConversation(share ? pair : id));
            }
            return new Pairs(requests, share);
        }

        @Override
        public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
        {
            final int blocks = request.promptTokens() / blockSizeTokens;
            for (int i = 0; i < blocks; i++)
            {
                target[i] = SplitMix64.mix(request.conversationId(), i) >>> 1 | 1;
            }
            return blocks;
        }

        @Override
        public Map<String, String> settings()
        {
            return Map.of("workload.kind", "pairs");
        }
    }

    private static WhatIfReport.ReRun ask(
        final Workload workload, final SchedulerConfig recorded, final SchedulerConfig changed)
    {
        final MemoryGroups groups = WhatIfTest.record(recorded, SimulationConfig.DEFAULT, workload);
        final WhatIfReport report = WhatIf.read(groups.cursor(), recorded)
            .ask(List.of(new Variant("planted", changed)), 2, Integer.MAX_VALUE, 1, (parts, ended, total) -> { });
        assertEquals(0, report.unchanged().decisions().different());
        return report.variants().get(0);
    }

    private static List<Long> ids(final WhatIfReport.ReRun run, final String kind)
    {
        return run.decisions().list().stream().filter(change -> change.kind().equals(kind))
            .map(ChangedDecision::requestId).sorted().toList();
    }

    @Test
    void shouldFindExactlyTheRequestsThatARouterMoves()
    {
        final RouterConfig router = RouterConfig.of(new IdRouter.Provider());
        final SchedulerConfig recorded = CONFIG.toBuilder().router(router).build();
        final WhatIfReport.ReRun run = ask(Pairs.of(false), recorded,
            recorded.toBuilder().router(router.with(IdRouter.MOVES, true)).build());
        final List<Long> moved =
            LongStream.rangeClosed(1, REQUESTS).filter(PlantedPolicyTest::isMoved).boxed().toList();

        assertTrue(moved.size() > 5, moved.toString());
        assertEquals(moved, ids(run, "placement"));
        assertEquals(moved.size(), run.decisions().different());
        assertEquals(3L * REQUESTS, run.decisions().total());
        assertEquals(moved.size(), run.requests().otherRank());
        assertEquals(Map.of("router.knob.moves", new WhatIfReport.Change("false", "true")), run.changed());
        assertTrue(moved.contains(run.decisions().first().requestId()));
    }

    /** Every second prompt finds the blocks of the first one of its pair, unless they are freed at once. */
    @Test
    void shouldFindExactlyTheRequestsThatAnEvictionPolicyCosts()
    {
        final SchedulerConfig recorded =
            CONFIG.toBuilder().router(RouterConfig.of(new IdRouter.Provider())).ranks(1).build();
        final WhatIfReport.ReRun run = ask(Pairs.of(true), recorded,
            recorded.toBuilder().evictionPolicy(EvictionPolicy.REF_ZERO).build());
        final List<Long> seconds = LongStream.rangeClosed(1, REQUESTS).filter(id -> id % 2 == 0).boxed().toList();

        assertEquals(seconds, ids(run, "admission"));
        assertEquals(seconds.size(), run.decisions().different());
        assertEquals(seconds.size(), run.requests().fewerCached());
        assertEquals(0, run.requests().moreCached());
    }
}
