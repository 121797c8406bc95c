// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.ConfigException;
import io.signalbox.Digits;
import io.signalbox.router.trtllm.ConversationDpRouter;
import io.signalbox.router.trtllm.NewConversation;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RouterSnapshotPropertyTest
{
    private static final int BATCH = 8;

    @Provide
    Arbitrary<Long> numbers()
    {
        return Digits.numbers();
    }

    @Provide
    Arbitrary<List<Long>> ranks()
    {
        return Digits.lists(8).filter(ranks -> !ranks.isEmpty());
    }

    /** Requests before the snapshot and after it: a batch takes as many as fit. */
    @Provide
    Arbitrary<List<Long>> requests()
    {
        return Digits.lists(100);
    }

    @Property(tries = 100)
    void everyRouterGoesOnFromASnapshotAsTheOneItWasTakenOf(
        @ForAll("ranks") final List<Long> ranks, @ForAll("requests") final List<Long> before,
        @ForAll("requests") final List<Long> after, @ForAll("numbers") final long knobs)
    {
        for (final DpRouterProvider provider : Routers.all())
        {
            final RouterConfig config = Routers.random(provider, new Digits(knobs));
            assertGoesOnAlike(ranks, before, after, provider, count -> config.router(count, true));
        }
    }

    private static List<PlacementBatch> batches(final List<Long> ranks, final List<Long> requests)
    {
        final List<PlacementBatch> batches = new ArrayList<>();
        for (int next = 0; next < requests.size(); next += BATCH)
        {
            batches.add(DpRouterPropertyTest.batch(ranks, requests.subList(next, Math.min(next + BATCH, requests.size()))));
        }
        return batches;
    }

    /** Takes a snapshot between two of many batches, and compares all later decisions. */
    private static void assertGoesOnAlike(
        final List<Long> states,
        final List<Long> before,
        final List<Long> after,
        final DpRouterProvider provider,
        final IntFunction<DpRouter> routers)
    {
        final int ranks = states.size();
        final DpRouter router = routers.apply(ranks);
        for (final PlacementBatch batch : batches(states, before))
        {
            router.place(batch);
            router.ended(batch.promptTokens(0));
        }
        final DpRouter restored = routers.apply(ranks);
        RouterSnapshot.restore(RouterSnapshot.of(provider, router, ranks), provider, restored, ranks);
        assertEquals(router.digest(), restored.digest());
        final List<PlacementBatch> sameBatches = batches(states, after);
        for (final PlacementBatch batch : batches(states, after))
        {
            final PlacementBatch same = sameBatches.remove(0);
            router.place(batch);
            restored.place(same);
            assertSameDecisions(batch, same);
            router.ended(batch.promptTokens(0));
            restored.ended(batch.promptTokens(0));
            assertEquals(router.digest(), restored.digest());
        }
    }

    private static void assertSameDecisions(final PlacementBatch batch, final PlacementBatch same)
    {
        assertEquals(batch.decisions(), same.decisions());
        for (int i = 0; i < batch.decisions(); i++)
        {
            final int request = batch.decision(i);
            assertEquals(request, same.decision(i));
            assertEquals(batch.chosenRank(request), same.chosenRank(request));
            for (int rank = 0; rank < batch.ranks(); rank++)
            {
                assertEquals(batch.isCandidate(request, rank), same.isCandidate(request, rank));
                assertTrue(!batch.isCandidate(request, rank) ||
                    Double.compare(batch.score(request, rank), same.score(request, rank)) == 0);
            }
        }
    }

    /** Conversations and cursor, of which the snapshot forgets the cursor. */
    private static final class Forgetful implements DpRouter
    {
        private final ConversationDpRouter router = new ConversationDpRouter(8, 2.0, NewConversation.ROUND_ROBIN);
        private final boolean digested;

        Forgetful(final boolean digested)
        {
            this.digested = digested;
        }

        @Override
        public void place(final PlacementBatch batch)
        {
            router.place(batch);
        }

        @Override
        public boolean readsMatches()
        {
            return false;
        }

        @Override
        public long digest()
        {
            return digested ? router.digest() : router.homes().digest();
        }

        @Override
        public long snapshotBytes()
        {
            return router.snapshotBytes();
        }

        @Override
        public void snapshot(final ByteBuffer into)
        {
            router.snapshot(into);
            into.putInt(into.position() - Integer.BYTES, 0);
        }

        @Override
        public void restore(final ByteBuffer from, final int ranks)
        {
            router.restore(from, ranks);
        }
    }

    @Test
    void shouldFindOutARouterThatForgetsOneField()
    {
        assertThrows(AssertionError.class, () -> manySeeds(false), "by its decisions");
        assertTrue(assertThrows(ConfigException.class, () -> manySeeds(true)).getMessage()
            .contains("does not yield the state"), "by its digest");
    }

    private static void manySeeds(final boolean digested)
    {
        for (int seed = 0; seed < 100; seed++)
        {
            assertGoesOnAlike(Digits.list(seed, 1 + seed % 8), Digits.list(seed + 100, 30), Digits.list(seed + 200, 30),
                DpRouters.installed().of("conversation"), ranks -> new Forgetful(digested));
        }
    }

    @ParameterizedTest
    @MethodSource("io.signalbox.router.Routers#all")
    void shouldRefuseEveryByteTooFewOrTooManyAndEveryOtherHead(final DpRouterProvider provider)
    {
        final Random random = new Random(7);
        final RouterConfig config = Routers.random(provider, random);
        final DpRouter router = config.router(3, true);
        router.place(DpRouterPropertyTest.batch(random, 3));
        final byte[] snapshot = RouterSnapshot.of(provider, router, 3);

        for (int length = 0; length < snapshot.length; length++)
        {
            refused(Arrays.copyOf(snapshot, length), config, 3);
        }
        refused(Arrays.copyOf(snapshot, snapshot.length + 1), config, 3);
        final String ranks = refused(snapshot, config, 4);
        assertTrue(ranks.startsWith("the number of ranks of the router snapshot is 3 and not 4; give"), ranks);
        final String other = provider.label().equals("default") ? "lmetric" : "default";
        final String name = refused(snapshot, RouterConfig.of(other), 3);
        assertTrue(name.contains("the router of the router snapshot is " + provider.label() + " and not " + other), name);
        final byte[] newer = snapshot.clone();
        newer[3 * Integer.BYTES]++;
        final String routerVersion = refused(newer, config, 3);
        assertTrue(routerVersion.startsWith("the router version of the router snapshot is " + (provider.version() + 1) +
            " and not " + provider.version()), routerVersion);
        final byte[] later = snapshot.clone();
        later[4]++;
        final String version = refused(later, config, 3);
        assertTrue(version.startsWith("the version of the router snapshot is 3 and not 2"), version);
    }

    @Property(tries = 500)
    void noDamagedByteEndsInAnythingButARefusalOrTheSameState(
        @ForAll("ranks") final List<Long> states, @ForAll("requests") final List<Long> requests,
        @ForAll("numbers") final long knobs, @ForAll("numbers") final long damage)
    {
        final int ranks = states.size();
        final Digits digits = new Digits(knobs);
        final DpRouterProvider provider = Routers.any(digits);
        final RouterConfig config = Routers.random(provider, digits);
        final DpRouter router = config.router(ranks, true);
        batches(states, requests).forEach(router::place);
        final byte[] snapshot = RouterSnapshot.of(provider, router, ranks);
        final Digits place = new Digits(damage);
        snapshot[place.nextInt(snapshot.length)] ^= (byte)(1 << place.nextInt(8));
        try
        {
            final DpRouter restored = config.router(ranks, true);
            RouterSnapshot.restore(snapshot, provider, restored, ranks);
            assertEquals(router.digest(), restored.digest());
        }
        catch (final ConfigException e)
        {
            assertTrue(e.getMessage().endsWith("."), e.getMessage());
        }
    }

    private static String refused(final byte[] snapshot, final RouterConfig config, final int ranks)
    {
        final DpRouter router = config.router(ranks, true);
        final String message = assertThrows(ConfigException.class,
            () -> RouterSnapshot.restore(snapshot, config.provider(), router, ranks)).getMessage();
        assertTrue(message.endsWith("."), message);
        return message;
    }

    @Test
    void shouldRefuseAStateThatTheKnobsHaveNoUseFor()
    {
        final RouterConfig warm = RouterConfig.of("kv-aware").with("coldStartWarmup", true);
        final byte[] cold = RouterSnapshot.of(warm.provider(), warm.router(3, true), 3);
        assertTrue(refused(cold, warm.with("coldStartWarmup", false), 3).contains("coldStartWarmup=false"));

        final RouterConfig many = RouterConfig.of("conversation");
        final DpRouter conversations = many.router(3, true);
        final PlacementBatch batch = new PlacementBatch(3, 100);
        for (int rank = 0; rank < 3; rank++)
        {
            batch.rank(rank, 0, false);
        }
        for (int i = 0; i < 9; i++)
        {
            batch.add(i, i, 10, PlacementBatch.NO_RANK, Relax.NO_PARAMETERS);
        }
        conversations.place(batch);
        final byte[] nine = RouterSnapshot.of(many.provider(), conversations, 3);
        assertTrue(refused(nine, many.with("maxSessions", 8), 3).contains("remembers 9 conversations"));
    }

    /** As a forged number of ranks has it: the digest fits, and the state would lead outside the ranks. */
    @Test
    void shouldRefuseARankThatIsNotThere()
    {
        final RouterConfig config = RouterConfig.of("round-robin");
        final DpRouter router = config.router(8, true);
        router.restore(ByteBuffer.allocate(Integer.BYTES).putInt(0, 5), 8);
        final byte[] snapshot = RouterSnapshot.of(config.provider(), router, 8);
        snapshot[2 * Integer.BYTES] = 3;
        assertTrue(refused(snapshot, config, 3).contains("names rank 5 of 3"));
    }

    @Test
    void shouldRefuseToTakeASnapshotAboveItsBound()
    {
        final ConversationDpRouter router = new ConversationDpRouter(1 << 20, 2.0, NewConversation.ROUND_ROBIN);
        for (int i = 0; i < 419_430; i++)
        {
            router.homes().bind(i, 0);
        }
        final String message = assertThrows(ConfigException.class,
            () -> RouterSnapshot.of(DpRouters.installed().of("conversation"), router, 1)).getMessage();
        assertTrue(message.contains("remembers 8388") && message.endsWith("let it remember less."), message);
    }
}
