// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.ScoredDpRouter;
import io.signalbox.router.TieRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The contract finds each planted defect of a router, by the test that names the duty and with a sentence. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PlantedRoutersTest
{
    private static final String NAME = "the router planted, version 1, ";

    /** A sound router, from which each planted one differs in one method. */
    private static class Sound extends ScoredDpRouter
    {
        @Override
        protected double score(final PlacementBatch batch, final int request, final int rank)
        {
            final double score = batch.uncachedTokens(request, rank) + 100.0 * batch.activeRequests(rank);
            batch.candidate(request, rank, score, 0, 0, 0);
            return score;
        }
    }

    /** Prefers a rank by the output tokens of ended requests; without one, prefers no rank. */
    private static class Learner extends ScoredDpRouter
    {
        protected long learned;

        @Override
        public void ended(final int outputTokens)
        {
            learned += outputTokens;
        }

        @Override
        protected double score(final PlacementBatch batch, final int request, final int rank)
        {
            final double score = learned == 0 ? 0 : (rank + learned) % batch.ranks();
            batch.candidate(request, rank, score, 0, 0, 0);
            return score;
        }
    }

    private static final class Planted extends DpRouterProvider
    {
        private final Supplier<DpRouter> maker;

        Planted(final Supplier<DpRouter> maker, final Setting<?>... knobs)
        {
            super("planted", 1, "A router of a test.", knobs);
            this.maker = maker;
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return maker.get();
        }
    }

    private static Map<String, String> failures(final DpRouterProvider provider, final Duration patience)
    {
        return ContractRun.failures(new DpRouterContractTest()
        {
            @Override
            protected DpRouterProvider provider()
            {
                return provider;
            }

            @Override
            protected Duration patience()
            {
                return patience;
            }
        });
    }

    private static Map<String, String> failures(final Supplier<DpRouter> maker)
    {
        return failures(new Planted(maker), Duration.ofSeconds(60));
    }

    private static void assertFinds(final String test, final String sentence, final Supplier<DpRouter> maker)
    {
        final Map<String, String> failures = failures(maker);
        assertTrue(failures.getOrDefault(test, "").startsWith(NAME + sentence), failures::toString);
        failures.values().forEach(message -> assertTrue(message.startsWith(NAME), message));
    }

    @Test
    void shouldFindNothingInASoundRouter()
    {
        assertEquals(Map.of(), failures(Sound::new));
    }

    /** The router writes what it learns neither into digest nor snapshot. */
    @Test
    void shouldFindWhatASnapshotForgetsOfEndedRequests()
    {
        assertFinds("keepsItsContractOnRandomBatches", "decided differently for the same batches; ", Learner::new);
    }

    /** The same router, with a digest of the tokens. */
    @Test
    void shouldFindADigestOfEndedRequestsThatASnapshotForgets()
    {
        assertFinds("keepsItsContractOnRandomBatches", "does not restore its own snapshot (", () -> new Learner()
        {
            @Override
            public long digest()
            {
                return learned;
            }
        });
    }

    @Test
    void shouldFindNothingInARouterThatRemembersEndedRequests()
    {
        assertEquals(Map.of(), failures(() -> new Learner()
        {
            @Override
            public long digest()
            {
                return learned;
            }

            @Override
            public long snapshotBytes()
            {
                return Long.BYTES;
            }

            @Override
            public void snapshot(final ByteBuffer into)
            {
                into.putLong(learned);
            }

            @Override
            public void restore(final ByteBuffer from, final int ranks)
            {
                learned = from.getLong();
            }
        }));
    }

    /** Leaves requests with more than 500 new tokens in the queue; every request has at least one. */
    @Test
    void shouldFindARequestThatIsLeftForItsNewTokens()
    {
        assertFinds("keepsItsContractOnRandomBatches", "left ", () -> new Sound()
        {
            @Override
            protected boolean isOpen(final PlacementBatch batch, final int request, final int rank)
            {
                return super.isOpen(batch, request, rank) && 500 / batch.maxNewTokens(request) > 0;
            }
        });
    }

    /** Answers ranks that do not exist, behind the last one. */
    @Test
    void shouldFindARankThatDoesNotExist()
    {
        assertFinds("acceptsEveryBatch", "chose rank 3 for request 0, and the ranks are 0 to 2.",
            () -> new Plain((batch, request) -> batch.ranks()));
    }

    @Test
    void shouldFindALostRank()
    {
        assertFinds("acceptsEveryBatch", "chose rank 0 for request ", () -> new Plain((batch, request) -> 0));
    }

    /** A random state that nobody sees: the decisions differ from router to router. */
    @Test
    void shouldFindAHiddenRandomState()
    {
        final Random hidden = new Random(1);
        assertFinds("decidesTheSameInAnotherThread", "decided differently for the same batches in another thread",
            () -> new Sound()
            {
                @Override
                protected double score(final PlacementBatch batch, final int request, final int rank)
                {
                    final double score = hidden.nextInt(100);
                    batch.candidate(request, rank, score, 0, 0, 0);
                    return score;
                }
            });
    }

    /** The same batches in the same thread give the same decisions here, and in another thread others. */
    @Test
    void shouldFindAStateOfTheThread()
    {
        assertFinds("decidesTheSameInAnotherThread", "decided differently for the same batches in another thread",
            () -> new Sound()
            {
                private final long thread = Thread.currentThread().getId();

                @Override
                protected double score(final PlacementBatch batch, final int request, final int rank)
                {
                    final double score = (rank + thread) % batch.ranks();
                    batch.candidate(request, rank, score, 0, 0, 0);
                    return score;
                }
            });
    }

    @Test
    void shouldFindMatchesThatAreReadInSecret()
    {
        assertFinds("readsMatchesOnlyIfItSaysSo", "says that it reads no matches, and decided differently",
            () -> new Sound()
            {
                @Override
                public boolean readsMatches()
                {
                    return false;
                }
            });
    }

    /** The first rank wins each tie, although the router says that it prefers none. */
    @Test
    void shouldFindARankThatIsPreferredForItsNumber()
    {
        assertFinds("prefersNoRankIfItPromisesSo", "promises to prefer no rank, and placed 0 of 400 requests on rank 1",
            () -> new Sound()
            {
                @Override
                protected double score(final PlacementBatch batch, final int request, final int rank)
                {
                    final double score = batch.activeRequests(rank) + rank / 1024.0;
                    batch.candidate(request, rank, score, 0, 0, 0);
                    return score;
                }
            });
    }

    /** Its state comes back from every snapshot, also from damaged ones, as far as its digest says. */
    @Test
    void shouldFindADamagedSnapshotThatIsBelieved()
    {
        final Map<String, String> failures = failures(Believer::new);
        assertTrue(failures.get("refusesDamagedSnapshots").startsWith(NAME + "chose rank "), failures::toString);
    }

    @Test
    void shouldFindAKnobWhoseRangeTheRouterDoesNotBear()
    {
        final Setting<Integer> knob = Setting.integer("divisor", "", 1, 0, 9, "Divides.");
        final DpRouterProvider provider = new DpRouterProvider("planted", 1, "A router of a test.", knob)
        {
            @Override
            public DpRouter create(final SettingValues values, final int ranks)
            {
                final int part = 9 / values.get(knob);
                return part == 0 ? null : new Sound();
            }
        };
        final Map<String, String> failures = failures(provider, Duration.ofSeconds(60));
        assertEquals(NAME + "cannot be made (java.lang.ArithmeticException: / by zero) (with divisor=0, which the knob " +
            "allows).", failures.get("keepsItsContractWithEveryValueOfItsKnobs"));
        assertEquals(1, failures.size(), failures::toString);
    }

    @Test
    void shouldEndATestOfARouterThatNeverReturns()
    {
        final CountDownLatch never = new CountDownLatch(1);
        final DpRouterProvider provider = new Planted(() -> new Plain((batch, request) ->
        {
            try
            {
                never.await();
            }
            catch (final InterruptedException e)
            {
                Thread.currentThread().interrupt();
            }
            return 0;
        }));
        final String message = failures(provider, Duration.ofMillis(200)).get("keepsItsContractOnRandomBatches");
        assertTrue(message.startsWith(
            NAME + "did not return within 200 ms while placing random batches; its thread is in "), message);
    }

    @Test
    void shouldNameWhatARouterThrows()
    {
        final Map<String, String> failures = failures(() -> new Plain((batch, request) -> 1 / (request - request)));
        assertEquals(NAME + "threw java.lang.ArithmeticException: / by zero; the smallest series of batches that shows it " +
            "has 1 rank: 0 active; request 0 of 0 tokens.", failures.get("keepsItsContractOnRandomBatches"));
        final Map<String, String> unmade = failures(() ->
        {
            throw new IllegalStateException("planted");
        });
        assertEquals(NAME + "cannot be made (java.lang.IllegalStateException: planted).",
            unmade.get("declaresItselfAndCanBeMade"));
        assertTrue(failures((DpRouterProvider)null, Duration.ofSeconds(60)).get("declaresItselfAndCanBeMade")
            .endsWith(" returned null; return the provider of the router under test."));
    }

    /** Chooses a rank for a request. */
    private interface Choice
    {
        int rank(PlacementBatch batch, int request);
    }

    /** Places every request, in order. */
    private static class Plain implements DpRouter
    {
        private final Choice choice;

        Plain(final Choice choice)
        {
            this.choice = choice;
        }

        @Override
        public void place(final PlacementBatch batch)
        {
            for (int request = 0; request < batch.count(); request++)
            {
                final int rank = choice.rank(batch, request);
                if (rank < batch.ranks())
                {
                    batch.candidate(request, rank, 0, 0, 0, 0);
                }
                batch.choose(request, rank, 0, TieRule.NONE);
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

    /** Keeps the rank of the next request, without a digest of it, and restores any number. */
    private static final class Believer implements DpRouter
    {
        private int next;

        @Override
        public void place(final PlacementBatch batch)
        {
            for (int request = 0; request < batch.count(); request++)
            {
                for (int tried = 0; tried < batch.ranks() && next < batch.ranks() && !batch.hasRoom(next); tried++)
                {
                    next = (next + 1) % batch.ranks();
                }
                if (next < batch.ranks())
                {
                    batch.candidate(request, next, 0, 0, 0, 0);
                }
                batch.choose(request, next, 0, TieRule.NONE);
                next = (next + 1) % batch.ranks();
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
        public long snapshotBytes()
        {
            return Integer.BYTES;
        }

        @Override
        public void snapshot(final ByteBuffer into)
        {
            into.putInt(next);
        }

        @Override
        public void restore(final ByteBuffer from, final int ranks)
        {
            next = from.getInt() & Integer.MAX_VALUE;
        }
    }
}
