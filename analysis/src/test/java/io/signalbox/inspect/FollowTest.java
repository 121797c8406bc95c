// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.journal.Durability;
import io.signalbox.journal.EndedRuns;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.JournalWriter;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.RunDirectories;
import io.signalbox.journal.Runs;
import io.signalbox.scheduler.Scheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The rows of a journal that grows while they are listed. */
final class FollowTest
{
    @TempDir
    private Path directory;

    private static EventQuery query(final String... messages)
    {
        return new EventQuery(new EventFilter(Set.of(messages), -1, null, null, TimeWindow.ALL));
    }

    private List<List<Object>> whole(final Path journal, final String... messages)
    {
        final List<List<Object>> rows = new ArrayList<>();
        query(messages).run(journal, row -> rows.add(List.of(row)), ReadProgress.NONE);
        return rows;
    }

    /** Over several segments; every row once, in order, as a closed journal has them. */
    @Test
    void shouldListEachEventOnceAsItIsWrittenAndEnd()
    {
        final JournalWriter writer = JournalWriter.create(
            directory, Runs.settings(), Runs.smallSegments(Durability.PROCESS));
        final Scheduler scheduler = new Scheduler(Runs.CONFIG);
        final List<List<Object>> rows = new ArrayList<>();
        final List<Integer> sizes = new ArrayList<>();
        final int[] turns = new int[1];
        final JournalEnd end = query("Submit", "Commit").follow(directory, row -> rows.add(List.of(row)),
            ReadProgress.NONE, () ->
        {
            sizes.add(rows.size());
            final int turn = turns[0]++;
            if (turn < 4)
            {
                Runs.append(writer, scheduler, turn * 200, turn * 200 + 200);
            }
            else
            {
                writer.close();
            }
            return true;
        });

        assertEquals(JournalEnd.CLOSED, end);
        assertEquals(5, turns[0]);
        assertTrue(sizes.get(1) > 0 && sizes.get(1) < sizes.get(2) && sizes.get(2) < sizes.get(4), sizes.toString());
        assertTrue(writer.segments() > 1, writer.segments() + " segments");
        assertEquals(whole(directory, "Submit", "Commit"), rows);
    }

    /** Each when it ends, and those that have not ended when the journal is closed. */
    @Test
    void shouldListRequestsAsTheyEnd()
    {
        final JournalWriter writer = JournalWriter.create(directory, Runs.settings(), EndedRuns.CONFIG);
        final Scheduler scheduler = new Scheduler(Runs.CONFIG);
        final List<List<Object>> rows = new ArrayList<>();
        final List<Integer> sizes = new ArrayList<>();
        requests().follow(directory, row -> rows.add(Arrays.asList(row)), ReadProgress.NONE, () ->
        {
            sizes.add(rows.size());
            if (sizes.size() < 4)
            {
                EndedRuns.append(writer, scheduler, sizes.size() * 90 - 90, sizes.size() * 90);
            }
            else
            {
                writer.close();
            }
            return true;
        });

        assertEquals(List.of(0, 22, 45, 67), sizes);
        final List<List<Object>> whole = new ArrayList<>();
        requests().run(directory, row -> whole.add(Arrays.asList(row)), ReadProgress.NONE);
        assertEquals(68, whole.size());
        assertEquals(whole, rows);
    }

    private static RequestQuery requests()
    {
        return new RequestQuery(new RequestFilter(null, false, -1, null, TimeWindow.ALL, 0));
    }

    @Test
    void shouldEndAtOnceIfTheJournalIsClosed()
    {
        Runs.write(directory, 30, Runs.options(Durability.PROCESS));
        final List<List<Object>> rows = new ArrayList<>();
        final JournalEnd end = query().follow(directory, row -> rows.add(List.of(row)), ReadProgress.NONE, () ->
        {
            throw new AssertionError("nothing is waited for");
        });

        assertEquals(JournalEnd.CLOSED, end);
        assertEquals(whole(directory), rows);
    }

    @Test
    void shouldStopIfItIsTold()
    {
        try (JournalWriter writer = JournalWriter.create(directory, Runs.settings(), Runs.options(Durability.PROCESS)))
        {
            Runs.append(writer, 8);
            final List<List<Object>> rows = new ArrayList<>();
            assertEquals(JournalEnd.BEING_WRITTEN,
                query().follow(directory, row -> rows.add(List.of(row)), ReadProgress.NONE, () -> false));
            assertTrue(rows.size() >= 8);
        }
    }

    /** Somebody removes the journal and begins another one in its place. */
    @Test
    void shouldRefuseAnotherJournalInThePlaceOfTheFirst()
    {
        final JournalWriter first = JournalWriter.create(directory, Runs.settings(), Runs.options(Durability.PROCESS));
        Runs.append(first, 8);
        final JournalException refusal = assertThrows(JournalException.class,
            () -> query().follow(directory, row -> { }, ReadProgress.NONE, () ->
        {
            first.close();
            RunDirectories.remove(directory);
            Runs.write(directory, 3, Runs.options(Durability.PROCESS));
            return true;
        }));

        assertEquals(Kind.FOREIGN_FILE, refusal.kind());
        assertTrue(refusal.getMessage().contains("is another journal than the one that was followed"), refusal.getMessage());
    }
}
