// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.InvariantViolation;
import io.signalbox.event.codec.DecidingRouter;
import io.signalbox.router.DpRouter;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementBatchWriter;
import io.signalbox.router.Relax;
import io.signalbox.router.RouterException;
import io.signalbox.router.TieRule;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

class GuardedRouterTest
{
    private static final SchedulerConfig CONFIG = SchedulerConfig.builder().ranks(2).maxRunning(2).build();
    private static final String REMEDY = "; report it to the author of the router, or choose another one.";

    /** Each method runs the action that the test sets. */
    private record Hostile(Consumer<PlacementBatch> action) implements DpRouter
    {
        @Override
        public void place(final PlacementBatch batch)
        {
            action.accept(batch);
        }

        @Override
        public boolean readsMatches()
        {
            return false;
        }

        @Override
        public void ended(final int outputTokens)
        {
            action.accept(null);
        }

        @Override
        public long digest()
        {
            action.accept(null);
            return 0;
        }

        @Override
        public long snapshotBytes()
        {
            action.accept(null);
            return 0;
        }

        @Override
        public void snapshot(final ByteBuffer into)
        {
            action.accept(null);
        }
    }

    /** Throws a checked exception past the compiler, as other languages of the JVM do. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(final Throwable checked) throws T
    {
        throw (T)checked;
    }

    private static GuardedRouter guarded(final Consumer<PlacementBatch> action)
    {
        return new GuardedRouter(CONFIG, new Hostile(action));
    }

    private static String fault(final Consumer<PlacementBatch> action)
    {
        final PlacementBatchWriter batch = new PlacementBatchWriter(2, 2);
        batch.rank(0, 1, false);
        batch.rank(1, 0, true);
        for (int i = 0; i < 3; i++)
        {
            batch.add(70 + i, PlacementBatch.NO_CONVERSATION, 10, PlacementBatch.NO_RANK, Relax.NO_PARAMETERS);
        }
        final String message =
            assertThrows(RouterException.class, () -> guarded(action).place(batch.batch())).getMessage();
        final String head = "the router signalbox, version 2, ";
        assertEquals(head, message.substring(0, head.length()));
        assertEquals(REMEDY, message.substring(message.length() - REMEDY.length()));
        return message.substring(head.length(), message.length() - REMEDY.length());
    }

    @Test
    void shouldNameChoicesThatCannotBe()
    {
        assertEquals("chose rank 2 for request 71, and the ranks are 0 to 1",
            fault(batch -> batch.choose(1, 2, 0, TieRule.NONE)));
        assertEquals("chose rank -1 for request 71, and the ranks are 0 to 1",
            fault(batch -> batch.choose(1, -1, 0, TieRule.NONE)));
        assertEquals("chose rank 1 for request 70, and that rank is lost",
            fault(batch -> batch.choose(0, 1, 0, TieRule.NONE)));
        assertEquals("chose rank 0 for request at index 3, and the batch has 3 requests, from 0",
            fault(batch -> batch.choose(3, 0, 0, TieRule.NONE)));
        assertEquals("chose rank 0 for request 72, and its tie rule is null",
            fault(batch -> batch.choose(2, 0, 0, null)));
        assertEquals("chose rank 0 for request 72, and that request is on rank 0 already", fault(batch ->
        {
            batch.choose(2, 0, 0, TieRule.NONE);
            batch.choose(2, 0, 0, TieRule.NONE);
        }));
        assertEquals("chose rank 0 for request 71 without noting it as a candidate",
            fault(batch -> batch.choose(1, 0, 0, TieRule.NONE)));
        assertEquals("put 3 requests on rank 0, which holds at most 2", fault(batch ->
        {
            batch.candidate(0, 0, 0, 0, 0, 0);
            batch.candidate(1, 0, 0, 0, 0, 0);
            batch.choose(0, 0, 0, TieRule.NONE);
            batch.choose(1, 0, 0, TieRule.NONE);
        }));
    }

    @Test
    void shouldNameRequestsThatWaitWhileARankIsIdle()
    {
        final PlacementBatchWriter batch = new PlacementBatchWriter(2, 2);
        batch.rank(0, 1, false);
        batch.rank(1, 0, true);
        guarded(nothing -> { }).place(batch.batch());
        batch.add(70, PlacementBatch.NO_CONVERSATION, 10, PlacementBatch.NO_RANK, Relax.NO_PARAMETERS);
        guarded(nothing -> { }).place(batch.batch());
        batch.rank(1, 0, false);
        assertEquals("the router signalbox, version 2, left 1 of 1 requests in the queue, and rank 1 is idle" + REMEDY,
            assertThrows(RouterException.class, () -> guarded(nothing -> { }).place(batch.batch())).getMessage());
        batch.clear();
        guarded(nothing -> { }).place(batch.batch());
    }

    @Test
    void shouldNameWhatIsThrown()
    {
        assertEquals("threw java.lang.NoSuchMethodError: gone", fault(batch ->
        {
            throw new NoSuchMethodError("gone");
        }));
        assertEquals("threw java.lang.AssertionError: no", fault(batch ->
        {
            throw new AssertionError("no");
        }));
        assertEquals("threw java.lang.Error: plain", fault(batch ->
        {
            throw new Error("plain");
        }));
        assertEquals("threw java.lang.StackOverflowError", fault(batch ->
        {
            throw new StackOverflowError();
        }));
        assertEquals("threw java.io.IOException: checked", fault(batch -> sneak(new IOException("checked"))));
        final GuardedRouter router = guarded(batch ->
        {
            throw new Error("late");
        });
        assertThrows(RouterException.class, () -> router.ended(1));
        assertThrows(RouterException.class, router::digest);
        assertThrows(RouterException.class, router::snapshotBytes);
        assertThrows(RouterException.class, () -> router.snapshot(ByteBuffer.allocate(0)));
    }

    @Test
    void shouldNotBlameTheRouterForABrokenInvariantOfOursNorForTheJvm()
    {
        for (final Error notItsFault :
            List.of(new InvariantViolation("ours"), new OutOfMemoryError("heap"), new InternalError("mapped memory")))
        {
            assertSame(notItsFault, assertThrows(Error.class, () -> guarded(batch ->
            {
                throw notItsFault;
            }).place(new PlacementBatchWriter(2, 2).batch())));
        }
    }

    /** While recorded placements are repeated, the installed router has no state. */
    @Test
    void shouldTellTheRouterOfEndedRequestsOnlyIfItDecides()
    {
        final Map<String, String> settings = CONFIG.settings();
        settings.put("router.version", "1");
        final List<PlacementBatch> calls = new ArrayList<>();
        final DpRouter router = new Hostile(calls::add);
        final GuardedRouter guarded = new GuardedRouter(CONFIG.begunAs(settings), router);
        guarded.ended(5);
        assertEquals(0, calls.size());
        guarded.begin(2, router);
        guarded.ended(5);
        assertEquals(1, calls.size());
    }

    @Test
    void shouldTellTheConfiguredRouterFromItsFallback()
    {
        final SchedulerConfig.Builder kvAware = SchedulerConfig.builder().router("kv-aware");
        final DpRouter router = new Hostile(batch -> { });
        assertEquals(DecidingRouter.CONFIGURED, new GuardedRouter(kvAware.build(), router).decidedBy());
        final GuardedRouter fallback = new GuardedRouter(kvAware.prefixCaching(false).build(), router);
        assertEquals(DecidingRouter.FALLBACK, fallback.decidedBy());
        assertEquals("default", fallback.provider().label());
    }
}
