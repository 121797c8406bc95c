// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.engine.WeightSwap;
import io.signalbox.experts.RoutedExperts.RowState;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.ReplayStart;
import io.signalbox.journal.restart.Ask;
import io.signalbox.journal.restart.Incarnation;
import io.signalbox.journal.restart.KeyedRequests;
import io.signalbox.router.DpRouters;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The rows of a journal are those that the clients of its engine took. */
@Tag("threads")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class RowReplayTest
{
    private static final int REQUESTS = 120;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** Short enough that some steps fail and some ranks are lost. */
    private static final long STEP_NANOS = 20_000;

    @TempDir
    Path temporary;

    private final Map<Long, RoutedExperts> taken = new HashMap<>();
    private final Map<Long, Integer> withoutRows = new HashMap<>();

    /** Steps fail, ranks are lost, weights are replaced, and prefixes are shared. */
    private Path journalOfAnEngine() throws Exception
    {
        final Path journal = temporary.resolve("journal");
        try (SignalboxEngine engine = SignalboxEngine.launch(KeyedRequests.faultyConfig(STEP_NANOS)
            .runJournal(new DirectoryJournal(journal, JournalConfig.of(Durability.PROCESS)))))
        {
            final List<CompletionHandle> handles = new ArrayList<>();
            for (int key = 0; key < REQUESTS; key++)
            {
                handles.add(engine.submit(KeyedRequests.of(key).keyed(key)));
                if (key == REQUESTS / 2)
                {
                    engine.newWeights(WeightSwap.CONTINUE, "second");
                }
            }
            for (int key = 0; key < REQUESTS; key++)
            {
                final CompletionHandle handle = handles.get(key);
                handle.await(PATIENCE);
                if (KeyedRequests.of(key).wantsRows())
                {
                    taken.put(handle.requestId(), handle.takeRoutedExperts(PATIENCE).orElse(null));
                }
                else
                {
                    withoutRows.put(handle.requestId(), key);
                }
            }
        }
        return journal;
    }

    private static RowReplay.Outcome replay(final Path journal, final RowReplay.Receiver receiver)
    {
        try (JournalReader reader = JournalReader.open(journal))
        {
            return RowReplay.run(ReplayStart.atTheFirstRecord(reader, DpRouters.installed()), receiver);
        }
    }

    private void compare(final EndedRequest request)
    {
        final RoutedExperts expected = taken.remove(request.requestId());
        assertEquals(expected != null, request.hasRows());
        if (expected == null)
        {
            assertNotNull(withoutRows.remove(request.requestId()));
            return;
        }
        final RoutedExperts rows = request.rows(expected.start(), request.computedTokens());
        assertArrayEquals(expected.ids(), rows.ids());
        assertEquals(expected.rows(), rows.rows());
        assertEquals(expected.promptRows(), rows.promptRows());
        assertEquals(expected.weights(), rows.weights());
        for (int row = 0; row < expected.rows(); row++)
        {
            assertEquals(expected.state(row), rows.state(row), "row " + row);
        }
    }

    @Test
    void shouldHandOutTheRowsThatClientsTook() throws Exception
    {
        final Path journal = journalOfAnEngine();
        assertTrue(taken.values().stream().anyMatch(rows -> rows.count(RowState.INHERITED) > 0));

        final RowReplay.Outcome outcome = replay(journal, this::compare);

        assertNull(outcome.difference());
        assertEquals(Map.of(), taken);
        assertEquals(Map.of(), withoutRows);
        assertEquals(JournalEnd.CLOSED, outcome.end());
        assertEquals(REQUESTS, outcome.submitted().count());
        assertEquals(0, outcome.unfinished());
    }

    @Test
    void shouldMaskInheritedIdsAndKeepTheirStates() throws Exception
    {
        replay(journalOfAnEngine(), request ->
        {
            if (request.hasRows())
            {
                final RoutedExperts rows = request.rows(0, request.computedTokens());
                final RoutedExperts masked = rows.withoutInherited();
                for (int row = 0; row < rows.rows(); row++)
                {
                    assertEquals(rows.state(row), masked.state(row));
                    assertEquals(rows.state(row) == RowState.INHERITED ? -1 : rows.expert(row, 2, 1),
                        masked.expert(row, 2, 1));
                }
                assertEquals(rows.weights(), masked.weights());
            }
        });
    }

    @Test
    void shouldCountRequestsThatHaveNotEnded() throws Exception
    {
        final Path journal = temporary.resolve("open");
        final Incarnation engine = new Incarnation(
            new DirectoryJournal(journal, JournalConfig.of(Durability.PROCESS)), Incarnation.config(1).build());
        engine.submit(new Ask(new int[]{1, 2, 3}, 9, 0, 0));
        engine.turn(3);

        final RowReplay.Outcome outcome = replay(journal, request -> assertFalse(request.hasRows(), "nothing has ended"));

        assertEquals(1, outcome.unfinished());
        assertEquals(JournalEnd.BEING_WRITTEN, outcome.end());
        engine.close();
    }
}
