// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.engine.FinishReason;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.codec.AcceptedEncoder;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.experts.WeightSpan;
import io.signalbox.inspect.LifeEvent.Admitted;
import io.signalbox.inspect.LifeEvent.Candidate;
import io.signalbox.inspect.LifeEvent.Ended;
import io.signalbox.inspect.LifeEvent.FirstToken;
import io.signalbox.inspect.LifeEvent.Placed;
import io.signalbox.inspect.LifeEvent.Preempted;
import io.signalbox.inspect.LifeEvent.Requeued;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.inspect.RequestInspection.SubmittedIds;
import io.signalbox.inspect.RequestLife.Submission;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.ReadProgress;
import io.signalbox.router.MatchGate;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.TieRule;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Predictable lives, decided by the real scheduler and read from a real journal. */
class RequestInspectorTest
{
    private static final SchedulerConfig TWO_RANKS =
        SchedulerConfig.builder().ranks(2).kvBlocks(11).router("default").build();

    private static final SchedulerConfig ONE_RANK =
        SchedulerConfig.builder().ranks(1).kvBlocks(11).router("default").build();

    @TempDir
    private Path directory;
    private Path journal;

    @BeforeEach
    void name()
    {
        journal = directory.resolve("journal");
    }

    private RequestLife onlyLife(final long requestId)
    {
        final List<RequestLife> lives = RequestInspector.inspect(journal, requestId).lives();
        assertEquals(1, lives.size());
        return lives.get(0);
    }

    @Test
    void shouldTellALifeFromSubmitToEnd()
    {
        try (JournaledRun run = new JournaledRun(journal, TWO_RANKS))
        {
            run.submit(100, 1, 40, 2, -1);
            run.submit(150, 2, 20, 2, -1);
            run.wake(200);
            run.complete(1_100, 1, 0);
            run.complete(1_600, 2, 0);
        }
        final RequestLife life = onlyLife(1);
        assertEquals(new Submission(100, 5, -1, 40, 2, 2, -1, false), life.submission());
        assertNull(life.refusal());
        assertEquals(2, life.emittedTokens());
        assertEquals(List.of(
            new Placed(200, 0, "default", MatchGate.NONE, TieRule.FEWEST_REQUESTS_THEN_LOWEST_RANK,
                1, 0.0, false, life.first(Placed.class).candidates()),
            new Admitted(200, 0, 1, 0, false),
            new FirstToken(1_100, 0, 1, List.of(100L, 0L, 0L, 900L, 0L)),
            new Ended(1_600, 0, FinishReason.LENGTH, 2, 0, 0, 0, List.of(new WeightSpan(0, 41, 0)))), life.events());
        assertEquals(List.of(
            new Candidate(0, 0.0, 40.0, 0.0, 0, 0, 0, 0, 0, 0), new Candidate(1, 0.0, 40.0, 0.0, 0, 0, 0, 0, 0, 0)),
            life.first(Placed.class).candidates());
    }

    @Test
    void shouldNameTheFallbackThatDecided()
    {
        final SchedulerConfig config = SchedulerConfig.builder().ranks(2).router("kv-aware").prefixCaching(false).build();
        final Map<String, String> unnamed = new TreeMap<>(config.settings());
        unnamed.remove(RouterConfig.FALLBACK_LABEL);
        assertEquals("default", placedBy(config, config.settings()));
        assertEquals("the fallback of kv-aware", placedBy(config, unnamed));
    }

    private String placedBy(final SchedulerConfig config, final Map<String, String> settings)
    {
        journal = directory.resolve("journal of " + settings.size() + " settings");
        try (JournaledRun run = new JournaledRun(journal, config, settings))
        {
            run.submit(100, 1, 40, 2, -1);
            run.wake(200);
        }
        return onlyLife(1).first(Placed.class).router();
    }

    @Test
    void shouldTellBothPlacementsWhereARankIsLost()
    {
        try (JournaledRun run = new JournaledRun(journal, TWO_RANKS))
        {
            run.submit(100, 1, 40, 2, 1);
            run.wake(200);
            run.lose(900, 1, 1);
            run.complete(1_900, 1, 0);
        }
        final RequestLife life = onlyLife(1);
        assertEquals(1, life.submission().rankHint());
        assertEquals(List.of(Placed.class, Admitted.class, Requeued.class, Placed.class, Admitted.class, FirstToken.class),
            life.events().stream().map(Object::getClass).toList());
        final Placed first = (Placed)life.events().get(0);
        assertEquals(TieRule.HINT, first.tieRule());
        assertEquals(1, first.rank());
        assertEquals(List.of(1), first.candidates().stream().map(Candidate::rank).toList());
        assertEquals(new Requeued(900, 1, 3, "gone"), life.events().get(2));
        final Placed second = (Placed)life.events().get(3);
        assertEquals(900, second.timeNanos());
        assertEquals(0, second.rank());
        assertEquals(TieRule.NONE, second.tieRule());
        assertEquals(List.of(0), second.candidates().stream().map(Candidate::rank).toList());
        assertNull(life.first(Ended.class), "it is still running");
        assertEquals(1, life.emittedTokens());
    }

    @Test
    void shouldTellAPreemptionAndTheReturn()
    {
        // Ten blocks: two prompts of five blocks leave none for a token of either.
        try (JournaledRun run = new JournaledRun(journal, ONE_RANK))
        {
            run.submit(0, 1, 80, 2, -1);
            run.submit(0, 2, 80, 2, -1);
            run.wake(0);
            run.complete(10, 1, 0);
            run.complete(20, 2, 0);
            run.complete(30, 3, 0);
        }
        final RequestLife life = onlyLife(2);
        assertEquals(List.of(
            new Preempted(10, 0, 5), new Admitted(20, 0, 3, 0, true),
            new Ended(30, 0, FinishReason.LENGTH, 2, 0, 0, 0, List.of(new WeightSpan(0, 81, 0)))),
            life.events().subList(3, 6));
    }

    @Test
    void shouldTellApartTheLivesOfAnIdThatComesAgain()
    {
        try (JournaledRun run = new JournaledRun(journal, TWO_RANKS))
        {
            run.submit(100, 1, 40, 2, -1);
            run.submit(110, 1, 40, 2, -1);
            run.cancel(120, 1);
            run.submit(130, 1, 1_000, 2, -1);
            run.submit(140, 1, 16, 2, -1);
            run.wake(150);
        }
        final RequestInspection inspection = RequestInspector.inspect(journal, 1);
        final List<RequestLife> lives = inspection.lives();
        assertEquals(4, lives.size());
        assertEquals(List.of(new Ended(120, -1, FinishReason.CANCELLED, 0, 0, 0, 0, List.of())), lives.get(0).events());
        assertEquals(RefusalReason.DUPLICATE_ID, lives.get(1).refusal());
        assertEquals(RefusalReason.TOO_LONG_FOR_POOL, lives.get(2).refusal());
        assertEquals(List.of(), lives.get(2).events());
        assertEquals(140, lives.get(3).submission().timeNanos());
        assertEquals(2, lives.get(3).events().size());
        assertEquals(150, inspection.endNanos());
    }

    /** The refusal of the second Submit leaves the live request as it is. */
    @Test
    void shouldListTheLiveRequestWhoseIdIsSubmittedAgain()
    {
        try (JournaledRun run = new JournaledRun(journal, TWO_RANKS))
        {
            run.submit(100, 1, 40, 2, -1);
            run.submit(110, 1, 40, 2, -1);
            run.cancel(120, 1);
            run.submit(130, 2, 40, 2, -1);
            run.submit(140, 2, 40, 2, -1);
        }
        final List<RequestQuery.RequestRow> rows = new ArrayList<>();
        new RequestQuery(new RequestFilter(null, false, -1, null, TimeWindow.ALL, 0))
            .run(journal, row -> rows.add((RequestQuery.RequestRow)row), ReadProgress.NONE);
        assertEquals(List.of("1 at 110 refused: duplicate-id", "1 at 100 cancelled", "2 at 140 refused: duplicate-id",
            "2 at 130 unfinished"),
            rows.stream().map(row -> row.request() + " at " + row.submittedNanos() + ' ' + row.end()).toList());
    }

    @Test
    void shouldFindNothingOfAnIdThatIsNotThere()
    {
        try (JournaledRun run = new JournaledRun(journal, TWO_RANKS))
        {
            run.submit(100, 7, 40, 2, -1);
            run.submit(100, 3, 1_000, 2, -1);
        }
        final RequestInspection inspection = RequestInspector.inspect(journal, 4);
        assertEquals(List.of(), inspection.lives());
        assertEquals(new SubmittedIds(2, 3, 7), inspection.submitted());
        assertEquals(2, inspection.ranks());
        assertEquals(2, inspection.groups());
        assertEquals(JournalEnd.CLOSED, inspection.end());
    }

    @Test
    void shouldReadAJournalThatIsStillBeingWritten()
    {
        try (JournaledRun run = new JournaledRun(journal, TWO_RANKS))
        {
            run.submit(100, 1, 40, 2, -1);
            run.wake(200);
            final RequestInspection inspection = RequestInspector.inspect(journal, 1);
            assertEquals(JournalEnd.BEING_WRITTEN, inspection.end());
            assertEquals(2, inspection.lives().get(0).events().size());
        }
    }

    @Test
    void shouldRefuseAGroupThatIsNone()
    {
        final GroupWriter group = new GroupWriter(256);
        final int start = group.begin();
        group.buffer().putLong(start, 0);
        group.end(Long.BYTES);
        group.buffer().putInt(0, 1 << 20);
        try (JournaledRun run = new JournaledRun(journal, TWO_RANKS))
        {
            run.submit(100, 1, 40, 2, -1);
            run.append(200, group.buffer(), group.length());
        }
        final JournalException refusal =
            assertThrows(JournalException.class, () -> RequestInspector.inspect(journal, 1));
        assertEquals(JournalException.Kind.CORRUPT_RECORD, refusal.kind());
        assertTrue(refusal.getMessage().startsWith(journal + ", record 2: its group cannot be decoded (message length"),
            refusal.getMessage());
    }

    /** The decision is false, and its request is one of which nothing is known. */
    @Test
    void shouldNotTakeTheAnswerToAnotherRequestForALife()
    {
        final GroupWriter group = new GroupWriter(256);
        final AcceptedEncoder accepted = new AcceptedEncoder();
        accepted.wrapAndApplyHeader(group.buffer(), group.begin(), new MessageHeaderEncoder()).requestId(7);
        group.end(MessageHeaderEncoder.ENCODED_LENGTH + accepted.encodedLength());
        try (JournaledRun run = new JournaledRun(journal, TWO_RANKS))
        {
            run.submit(100, 1, 40, 2, -1);
            run.append(200, group.buffer(), group.length());
        }
        assertEquals(List.of(), RequestInspector.inspect(journal, 7).lives());
        assertEquals(1, RequestInspector.inspect(journal, 1).lives().size());
    }
}
