// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.Routers;
import io.signalbox.router.ScoredDpRouter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Every installed router keeps the contract, and a trial finds routers that do not. */
class RouterTrialTest
{
    /** A sound router, from which each planted one differs in one method. */
    private static class Sound extends ScoredDpRouter
    {
        @Override
        protected double score(final PlacementBatch batch, final int request, final int rank)
        {
            final double score = batch.uncachedTokens(request, rank) + batch.activeRequests(rank);
            batch.candidate(request, rank, score, 0, 0, 0);
            return score;
        }
    }

    private static final class Planted extends DpRouterProvider
    {
        private final Supplier<DpRouter> maker;

        Planted(final Supplier<DpRouter> maker)
        {
            super("planted", 1, "A router of a test.");
            this.maker = maker;
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return maker.get();
        }
    }

    private static final String SMALLEST = "; the smallest series of batches that shows it has ";

    /** Without the series. */
    private static String fault(final Supplier<DpRouter> maker)
    {
        final String fault = whole(maker);
        return fault == null ? null : fault.replaceFirst(SMALLEST + ".*", "");
    }

    private static String whole(final Supplier<DpRouter> maker)
    {
        return RouterTrial.fault(RouterConfig.of(new Planted(maker)), 1, 50);
    }

    @ParameterizedTest
    @MethodSource("io.signalbox.router.Routers#all")
    void shouldFindNoFaultInAnInstalledRouter(final DpRouterProvider provider)
    {
        assertNull(RouterTrial.fault(RouterConfig.of(provider), 1, 50));
        for (int seed = 0; seed < 20; seed++)
        {
            assertNull(RouterTrial.fault(Routers.random(provider, new Random(seed)), seed, 20), "seed " + seed);
        }
        assertNull(fault(Sound::new));
    }

    /** One batch on two ranks is left: more requests match the prompt of one rank than it has room for. */
    @Test
    void shouldShrinkASeriesToTheBatchThatShowsTheFault()
    {
        final String fault = whole(() -> new Sound()
        {
            @Override
            protected boolean isOpen(final PlacementBatch batch, final int request, final int rank)
            {
                return !batch.isLost(rank);
            }
        });
        assertTrue(fault.startsWith("put 7 requests on rank 0, which holds at most 6" + SMALLEST +
            "2 ranks: "), fault);
        assertFalse(fault.contains("; then "), fault);
        assertTrue(fault.length() < 300, fault);
    }

    /** The second batch of a series shows what the first one left behind. */
    @Test
    void shouldShrinkASeriesToTheBatchesThatShowTheFault()
    {
        final String fault = whole(() -> new Sound()
        {
            private int placed;

            @Override
            protected void placed(final PlacementBatch batch, final int request, final int rank)
            {
                placed++;
            }

            @Override
            protected double score(final PlacementBatch batch, final int request, final int rank)
            {
                final double score = placed == 0 ? 0 : rank;
                batch.candidate(request, rank, score, 0, 0, 0);
                return score;
            }
        });
        assertTrue(fault.startsWith("decided differently for the same batches; "), fault);
        assertEquals(2, fault.split("; then ").length, fault);
        assertTrue(fault.contains(" active; request 0 of 0 tokens; then "), fault);
    }

    @Test
    void shouldFindDecisionsThatDependOnMoreThanTheBatches()
    {
        final int[] calls = new int[1];
        assertTrue(fault(() -> new Sound()
        {
            @Override
            protected double score(final PlacementBatch batch, final int request, final int rank)
            {
                final double score = calls[0]++ * 7919 % 13;
                batch.candidate(request, rank, score, 0, 0, 0);
                return score;
            }
        }).startsWith("decided differently for the same batches; "));
    }

    /** Scores by a count of placed requests, and writes the count neither into digest nor snapshot. */
    @Test
    void shouldFindWhatASnapshotForgets()
    {
        assertTrue(fault(() -> new Sound()
        {
            private int placed;

            @Override
            protected void placed(final PlacementBatch batch, final int request, final int rank)
            {
                placed++;
            }

            @Override
            protected double score(final PlacementBatch batch, final int request, final int rank)
            {
                final double score = (rank + placed) % batch.ranks();
                batch.candidate(request, rank, score, 0, 0, 0);
                return score;
            }
        }).startsWith("decided differently for the same batches; "));
    }

    @Test
    void shouldFindChoicesWithoutTheirCandidateAndScoresThatAreNoNumbers()
    {
        assertTrue(fault(() -> new Sound()
        {
            @Override
            protected double score(final PlacementBatch batch, final int request, final int rank)
            {
                return rank;
            }
        }).endsWith(" without noting it as a candidate"));
        for (final double wrong : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
        {
            final String returned = fault(() -> new Sound()
            {
                @Override
                protected double score(final PlacementBatch batch, final int request, final int rank)
                {
                    batch.candidate(request, rank, 0, 0, 0, 0);
                    return wrong;
                }
            });
            assertTrue(returned.startsWith("returned " + wrong + " as the score of rank "), returned);
            assertTrue(returned.endsWith(", which is not a finite number; isOpen leaves a rank out"), returned);
            final String one = fault(() -> new Sound()
            {
                @Override
                protected double score(final PlacementBatch batch, final int request, final int rank)
                {
                    batch.candidate(request, rank, rank, 0, 0, 0);
                    return rank == 0 ? rank : wrong;
                }
            });
            assertTrue(one.startsWith("returned " + wrong + " as the score of rank "), "a rank that is not best: " + one);
        }
    }

    @Test
    void shouldFindTermsThatAreNotFinite()
    {
        for (final double wrong : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
        {
            final List<String> names = List.of("score", "new work", "load term");
            for (int term = 0; term < names.size(); term++)
            {
                final int at = term;
                final String fault = fault(() -> new Sound()
                {
                    @Override
                    protected double score(final PlacementBatch batch, final int request, final int rank)
                    {
                        batch.candidate(
                            request, rank, at == 0 ? wrong : 1, at == 1 ? wrong : 1, at == 2 ? wrong : 1, 0);
                        return rank;
                    }
                });
                assertTrue(fault.startsWith("recorded " + wrong + " as the " + names.get(term) + " of rank "), fault);
            }
        }
    }

    @Test
    void shouldFindARankAboveItsCapAndARequestThatNeverLeavesTheQueue()
    {
        assertTrue(fault(() -> new Sound()
        {
            @Override
            protected boolean isOpen(final PlacementBatch batch, final int request, final int rank)
            {
                return !batch.isLost(rank);
            }
        }).endsWith(", which holds at most 6"));
        assertTrue(fault(() -> new Sound()
        {
            @Override
            protected boolean isOpen(final PlacementBatch batch, final int request, final int rank)
            {
                return batch.hasRoom(rank) && batch.activeRequests(rank) > 0;
            }
        }).endsWith(" is idle"));
    }

    @Test
    void shouldFindGarbageAndExceptions()
    {
        final String garbage = fault(() -> new Sound()
        {
            private Object kept;

            @Override
            protected void begin(final PlacementBatch batch)
            {
                kept = kept == null || kept.hashCode() != 0 ? new long[100] : kept;
            }
        });
        assertTrue(garbage.startsWith("allocates about 8"), garbage);
        assertEquals("threw java.lang.ArithmeticException: / by zero", fault(() -> new Sound()
        {
            @Override
            protected long addedLoad(final PlacementBatch batch, final int request, final int rank)
            {
                return 1 / (batch.count() - batch.count());
            }
        }));
        assertEquals("threw java.lang.Error: plain", fault(() -> new Sound()
        {
            @Override
            protected void begin(final PlacementBatch batch)
            {
                throw new Error("plain");
            }
        }));
    }
}
