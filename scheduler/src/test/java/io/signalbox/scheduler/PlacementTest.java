// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.EventReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.DecidingRouter;
import io.signalbox.event.codec.DigestDecoder;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.router.DpRouter;
import io.signalbox.router.MatchGate;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RankFigure;
import io.signalbox.router.TieRule;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PlacementTest
{
    /** One placement as the journal records it. */
    private record Placed(
        long requestId, int rank, int target, DecidingRouter decidedBy, MatchGate gate, TieRule rule, int candidates)
    {
    }

    /** Records each batch, then lets the test place its requests. */
    private static final class Watching implements DpRouter
    {
        private final Consumer<PlacementBatch> place;
        private final List<Integer> answers = new ArrayList<>();
        private int batches;
        private int asked;

        Watching(final Consumer<PlacementBatch> place)
        {
            this.place = place;
        }

        @Override
        public void place(final PlacementBatch batch)
        {
            batches++;
            place.accept(batch);
        }

        @Override
        public boolean readsMatches()
        {
            asked++;
            return true;
        }

        @Override
        public void ended(final int outputTokens)
        {
            answers.add(outputTokens);
        }

        @Override
        public long digest()
        {
            return 0;
        }
    }

    private final InputWriter writer = new InputWriter();
    private final GroupWriter group = new GroupWriter(1024);
    private final List<Placed> placed = new ArrayList<>();
    private final List<Long> routerDigests = new ArrayList<>();
    private final Outputs outputs = new Outputs();
    private long now;

    private static SchedulerConfig.Builder config(final int ranks, final int maxRunning)
    {
        return SchedulerConfig.builder().ranks(ranks).kvBlocks(64).blockSizeTokens(4).maxRunning(maxRunning);
    }

    private void submit(
        final Scheduler scheduler,
        final long id,
        final long conversation,
        final int prompt,
        final int hint,
        final long[] hashes,
        final int... tokens)
    {
        final UnsafeBuffer bytes =
            new UnsafeBuffer(new byte[hashes.length * Long.BYTES + tokens.length * Integer.BYTES + 1]);
        for (int i = 0; i < hashes.length; i++)
        {
            bytes.putLong(i * Long.BYTES, hashes[i]);
        }
        final int tokensAt = hashes.length * Long.BYTES;
        for (int i = 0; i < tokens.length; i++)
        {
            bytes.putInt(tokensAt + i * Integer.BYTES, tokens[i]);
        }
        writer.submit().timeNanos(++now).requestId(id).conversationId(conversation).predecessorId(-1).thinkTimeNanos(0)
            .deadlineNanos(-1).samplingSeed(0).promptTokens(prompt).maxNewTokens(4).rowsFrom(-1)
            .priority(0).rankHint(hint).temperature(1f).topP(1f).rankHintRelaxed(Flag.NO)
            .putBlockHashes(bytes, 0, tokensAt).putCacheKey(bytes, 0, 0)
            .putTokens(bytes, tokensAt, tokens.length * Integer.BYTES)
            .putHashChain(bytes, 0, 0).putStopTokens(bytes, 0, 0);
        apply(scheduler);
    }

    private void submit(final Scheduler scheduler, final long id, final int prompt, final int hint)
    {
        submit(scheduler, id, -1, prompt, hint, new long[0]);
    }

    private void wake(final Scheduler scheduler)
    {
        writer.wake().timeNanos(++now);
        apply(scheduler);
    }

    private void apply(final Scheduler scheduler)
    {
        group.reset();
        scheduler.apply(writer.buffer(), 0, writer.length(), null, 0, group);
        outputs.readGroup(group.buffer(), 0, group.length());
    }

    /** Keeps the router's decisions and digests. */
    private final class Outputs extends EventReader
    {
        @Override
        protected void onPlaced(final PlacedDecoder decision)
        {
            placed.add(new Placed(decision.requestId(), decision.rank(), decision.target(), decision.decidedBy(),
                MatchGate.valueOf(decision.gate().name()), TieRule.valueOf(decision.tieRule().name()),
                decision.candidates().count()));
        }

        @Override
        protected void onDigest(final DigestDecoder digest)
        {
            routerDigests.add(digest.routerDigest());
        }
    }

    private static void choose(final PlacementBatch batch, final int request, final int rank)
    {
        batch.candidate(request, rank, 0, 0, 0, 0);
        batch.choose(request, rank, 0, TieRule.NONE);
    }

    private List<Long> placedIds()
    {
        return placed.stream().map(Placed::requestId).toList();
    }

    @Test
    void shouldWritePlacementsInTheOrderInWhichTheyWereDecided()
    {
        final Scheduler scheduler = new Scheduler(config(2, 8).router("default").build());
        submit(scheduler, 1, 10, -1);
        submit(scheduler, 2, 40, -1);
        submit(scheduler, 3, 20, -1);
        wake(scheduler);

        assertEquals(List.of(2L, 3L, 1L), placedIds(), "the longest first");
        assertEquals(List.of(
            new Placed(2, 0, 2, DecidingRouter.CONFIGURED, MatchGate.NONE, TieRule.FEWEST_REQUESTS_THEN_LOWEST_RANK, 2),
            new Placed(3, 1, 2, DecidingRouter.CONFIGURED, MatchGate.NONE, TieRule.NONE, 2),
            new Placed(1, 1, 2, DecidingRouter.CONFIGURED, MatchGate.NONE, TieRule.NONE, 2)), placed);
        assertEquals(30, scheduler.load(1).promptTokens());
    }

    @Test
    void shouldSetAsideWhatIsBoundToAFullRankAndLetLaterOnesPass()
    {
        final Scheduler scheduler = new Scheduler(config(2, 1).build());
        for (int id = 1; id <= 4; id++)
        {
            submit(scheduler, id, 8, id <= 3 ? 0 : -1);
        }
        wake(scheduler);

        assertEquals(List.of(1L, 4L), placedIds(), "2 and 3 wait for rank 0 and do not hold up 4");
        assertEquals(TieRule.HINT, placed.get(0).rule());
    }

    @Test
    void shouldKeepTheOrderOfWhatTheRouterLeavesAndOfWhatIsSetAside()
    {
        final List<List<Long>> seen = new ArrayList<>();
        final Watching router = new Watching(batch ->
        {
            final List<Long> ids = new ArrayList<>();
            for (int i = 0; i < batch.count(); i++)
            {
                ids.add(batch.requestId(i));
            }
            seen.add(ids);
            for (int i = 0; i < batch.count() && seen.size() == 1; i++)
            {
                choose(batch, i, batch.rankHint(i));
            }
        });
        final Scheduler scheduler = new Scheduler(config(2, 2).build(), router);
        submit(scheduler, 8, 8, 0);
        submit(scheduler, 9, 8, 1);
        wake(scheduler);
        placed.clear();
        seen.clear();
        seen.add(List.of());
        // 1, 2 and 4 are bound to rank 0, which has room for one.
        submit(scheduler, 1, 8, 0);
        submit(scheduler, 2, 8, 0);
        submit(scheduler, 3, 8, -1);
        submit(scheduler, 4, 8, 0);
        wake(scheduler);
        wake(scheduler);

        assertEquals(List.of(List.of(1L, 3L), List.of(4L)), seen.subList(1, 3), "and what was set aside is not asked again");
        assertEquals(seen.subList(1, 3), seen.subList(3, 5), "the same order at the next plan point");
        assertTrue(placed.isEmpty());
    }

    @Test
    void shouldNotProbeWhereNothingWasSubmitted()
    {
        final Watching router = new Watching(batch -> choose(batch, 0, 0));
        final Scheduler scheduler = new Scheduler(config(2, 8).build(), router);
        wake(scheduler);
        assertEquals(0, router.batches);

        submit(scheduler, 1, 8, -1);
        wake(scheduler);
        wake(scheduler);
        assertEquals(1, router.batches, "once, and not again at an idle plan point");
        assertEquals(1, router.asked, "whether it reads matches, when the scheduler was made");
    }

    @Test
    void shouldGiveRoutersTheHeadOfAPrompt()
    {
        final List<Integer> compared = new ArrayList<>();
        final Watching router = new Watching(batch ->
        {
            for (int i = 1; i < batch.count(); i++)
            {
                compared.add(Integer.signum(batch.compareHeads(i - 1, i)));
            }
            choose(batch, 0, 0);
        });
        final Scheduler scheduler = new Scheduler(config(1, 8).build(), router);
        submit(scheduler, 1, -1, 3, -1, new long[0], 5, 6, 7);
        submit(scheduler, 2, -1, 3, -1, new long[0], 5, 6, 8);
        submit(scheduler, 3, -1, 8, -1, new long[] {99L << 32 | 1, 4});
        submit(scheduler, 4, -1, 8, -1, new long[] {99L << 32 | 1, 5});
        submit(scheduler, 5, -1, 8, -1, new long[] {98L << 32 | 1, 4});
        submit(scheduler, 6, -1, 2, -1, new long[0]);
        wake(scheduler);

        assertEquals(List.of(-1, 1, 0, 1, 1), compared,
            "tokens; then the halves of the first block hash; then nothing, which comes first");
    }

    @Test
    void shouldGiveRoutersTheFiguresOfTheRanks()
    {
        final List<Long> figures = new ArrayList<>();
        final Watching router = new Watching(batch ->
        {
            for (final RankFigure figure : RankFigure.values())
            {
                figures.add(batch.figure(0, figure));
            }
            choose(batch, 0, 0);
        });
        final Scheduler scheduler = new Scheduler(config(1, 8).stepTokens(6).build(), router);
        submit(scheduler, 1, 10, -1);
        wake(scheduler);
        submit(scheduler, 2, 8, -1);
        wake(scheduler);

        assertEquals(List.of(0L, 0L, 0L, 0L, 252L, 0L, 252L, 0L, 0L), figures.subList(0, 9));
        assertEquals(List.of(10L, 10L, 10L, 0L, 244L, 0L, 252L, 0L, 0L), figures.subList(9, 18),
            "a step that is in flight has computed nothing");
    }

    @Test
    void shouldTellRoutersWhichTokensOfLongPromptsLaterStepsCompute()
    {
        final List<Long> figures = new ArrayList<>();
        final Watching router = new Watching(batch ->
        {
            assertEquals(4, batch.longPrefillTokens());
            assertEquals(2, batch.maxLongPrefills());
            figures.add(batch.figure(0, RankFigure.LONG_PREFILLS));
            figures.add(batch.figure(0, RankFigure.DEFERRED_PREFILL_TOKENS));
            choose(batch, 0, 0);
        });
        final Scheduler scheduler = new Scheduler(config(1, 8).set(BatchSettings.LONG_PREFILL_TOKENS, 4)
            .set(BatchSettings.MAX_LONG_PREFILLS, 2).build(), router);
        for (final int tokens : new int[] {4, 10, 20, 30, 1})
        {
            submit(scheduler, 1 + figures.size(), tokens, -1);
            wake(scheduler);
        }

        assertEquals(List.of(0L, 0L, 0L, 0L, 1L, 6L, 2L, 22L, 3L, 52L), figures,
            "a prompt of 4 tokens is short; of the three long ones two are in a step");
    }

    @Test
    void shouldGiveRoutersTheTokensThatAreCachedAndHeldByNoRequest()
    {
        final List<Long> cached = new ArrayList<>();
        final Watching router = new Watching(batch ->
        {
            cached.add(batch.figure(0, RankFigure.CACHED_TOKENS));
            choose(batch, 0, 0);
        });
        final SchedulerConfig config = config(1, 8).build();
        final SchedulerHarness harness = new SchedulerHarness(config, new Scheduler(config, router));
        harness.submit(1, 1, 0, 16, 1);
        harness.wake();
        harness.submit(2, 2, 0, 8, 3);
        harness.complete(0);
        harness.submit(3, 3, 0, 8, 1);
        harness.complete(0);

        assertEquals(List.of(0L, 16L, 16L), cached, "none of an empty rank, none that the second one holds");
    }

    /** An answer that its client cancelled says nothing about the length of answers. */
    @Test
    void shouldTellTheRouterTheLimitOfARequestAndTheLengthOfItsAnswer()
    {
        final List<Integer> limits = new ArrayList<>();
        final Watching router = new Watching(batch ->
        {
            limits.add(batch.maxNewTokens(0));
            choose(batch, 0, 0);
        });
        final SchedulerConfig config = config(1, 8).build();
        final SchedulerHarness harness = new SchedulerHarness(config, new Scheduler(config, router));
        harness.submit(1, 1, 0, 8, 3);
        harness.wake();
        harness.submit(2, 2, 0, 8, 9);
        harness.complete(0);
        harness.cancel(2);
        while (!harness.inFlight.isEmpty())
        {
            harness.complete(0);
        }

        assertEquals(List.of(3, 9), limits);
        assertEquals(List.of(3), router.answers);
    }

    @Test
    void shouldSayInEveryDecisionThatTheDefaultRouterStoodIn()
    {
        final Scheduler scheduler =
            new Scheduler(config(2, 8).router("kv-aware").prefixCaching(false).build());
        submit(scheduler, 1, 10, -1);
        wake(scheduler);
        assertEquals(DecidingRouter.FALLBACK, placed.get(0).decidedBy());

        final Scheduler cached = new Scheduler(config(2, 8).router("kv-aware").build());
        submit(cached, 1, 10, -1);
        wake(cached);
        assertEquals(DecidingRouter.CONFIGURED, placed.get(1).decidedBy());
        assertEquals(MatchGate.CLOSED, placed.get(1).gate());
    }

    @Test
    void shouldKeepAConversationOnItsRankAndPutThatIntoTheDigest()
    {
        final Scheduler scheduler =
            new Scheduler(config(3, 8).router("conversation").digestInterval(1).build());
        wake(scheduler);
        submit(scheduler, 1, 70, 10, -1, new long[0]);
        submit(scheduler, 2, 71, 10, -1, new long[0]);
        wake(scheduler);
        submit(scheduler, 3, 71, 50, -1, new long[0]);
        submit(scheduler, 4, -1, 5, -1, new long[0]);
        wake(scheduler);

        assertEquals(List.of(0, 1, 1, 2), placed.stream().map(Placed::rank).toList());
        assertEquals(List.of(TieRule.ROUND_ROBIN, TieRule.ROUND_ROBIN, TieRule.BOUND, TieRule.ROUND_ROBIN),
            placed.stream().map(Placed::rule).toList());
        assertNotEquals(routerDigests.get(0), routerDigests.get(routerDigests.size() - 1));
    }
}
