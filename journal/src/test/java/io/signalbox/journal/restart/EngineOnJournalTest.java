// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.ConfigException;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.Ending;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.KilledCopy;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.ReplayFollower;
import io.signalbox.journal.Verification;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.Scheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Engines over one directory: the journal of all of them is one run. */
final class EngineOnJournalTest
{
    private static final JournalConfig SMALL = new JournalConfig(Durability.PROCESS, 1 << 16, 1 << 18);

    @TempDir
    Path temporary;

    private static Incarnation open(final Path directory)
    {
        return new Incarnation(new DirectoryJournal(directory, SMALL), Incarnation.config(2).build());
    }

    private static Ask request(final int number)
    {
        final int[] prompt = new int[4 + number % 30];
        Arrays.setAll(prompt, i -> (i * 3 + number % 5) % ContentModel.VOCABULARY);
        return new Ask(prompt, 9, 0, 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldVerifyAJournalOverManyRestarts(final boolean snapshots) throws Exception
    {
        Path journal = temporary.resolve("journal-0");
        final List<Ask> requests = new ArrayList<>();
        for (int i = 1; i < 8; i++)
        {
            final Incarnation engine = open(journal);
            assertEquals(requests.size(), engine.resumed().size());
            for (int k = 0; k < 3; k++)
            {
                requests.add(request(requests.size()));
                engine.submit(requests.get(requests.size() - 1));
            }
            engine.turn(2 + i);
            if (i % 3 == 0)
            {
                engine.close();
            }
            else
            {
                journal = KilledCopy.of(journal, temporary.resolve("journal-" + i));
            }
            if (snapshots)
            {
                snapshot(journal, i % 2 == 0);
            }
        }
        try (Incarnation last = open(journal))
        {
            last.finish();
            final List<CompletionHandle> handles = last.resumed();
            for (int i = 0; i < requests.size(); i++)
            {
                assertArrayEquals(
                    ContentModel.generated(requests.get(i), 9), handles.get(i).tokens());
                ContentModel.assertRows(requests.get(i), 9, Incarnation.rows(handles.get(i)));
            }
        }
        final Verification verification = JournalVerifier.verify(journal, Scheduler::new);
        assertTrue(verification.matches(), String.valueOf(verification.difference()));
        assertEquals(Ending.CLOSED, verification.ending());
    }

    /** Of the whole journal, as far as it goes; a damaged one as well. */
    private static void snapshot(final Path journal, final boolean damaged) throws IOException
    {
        final ReplayFollower follower = new ReplayFollower(journal, 1_000_000, DpRouters.installed());
        try
        {
            follower.follow(ReadProgress.NONE);
        }
        catch (final JournalException e)
        {
            // A killed writer leaves a journal that is recovered by the next engine.
            assertEquals(JournalException.Kind.TORN_TAIL, e.kind());
        }
        follower.conclude();
        if (damaged)
        {
            Files.writeString(journal.resolve("snapshots").resolve("scheduler-9999999999999999"), "damaged");
        }
    }

    @Test
    void shouldSayWhichSnapshotsARestartPassesOver() throws Exception
    {
        final Path journal = temporary.resolve("journal-0");
        try (Incarnation engine = open(journal))
        {
            engine.submit(request(3));
            engine.finish();
        }
        snapshot(journal, true);
        final List<String> passedOver = new ArrayList<>();
        final ReadProgress progress = new ReadProgress()
        {
            @Override
            public void onRead(final long doneBytes, final long totalBytes)
            {
            }

            @Override
            public void onPassedOver(final String sentence)
            {
                passedOver.add(sentence);
            }
        };
        try (Incarnation engine =
            new Incarnation(new DirectoryJournal(journal, SMALL, progress), Incarnation.config(2).build()))
        {
            assertEquals(1, passedOver.size(), passedOver::toString);
            assertTrue(passedOver.get(0).contains("scheduler-9999999999999999 is passed over"), passedOver.get(0));
            ContentModel.assertRows(request(3), 9, Incarnation.rows(engine.resumed().get(0)));
        }
        final Verification behind =
            JournalVerifier.verifyBehindSnapshot(journal, DpRouters.installed(), ReadProgress.NONE);
        assertTrue(behind.matches() && behind.begunAt() > 0);
    }

    @Test
    void shouldRefuseAnEngineWithOtherSettings() throws Exception
    {
        final Path journal = temporary.resolve("journal-0");
        open(journal).close();
        final ConfigException refusal = assertThrows(ConfigException.class, () -> new Incarnation(
            new DirectoryJournal(journal, SMALL), Incarnation.config(2).kvBlocks(41).build()));

        assertTrue(refusal.getMessage().contains("scheduler.kvBlocks=40, but the engine that is to continue it has " +
            "scheduler.kvBlocks=41"), refusal.getMessage());
        open(journal).close();
    }

    @Test
    void shouldRefuseToContinueARunWithoutItsCombineWeights() throws Exception
    {
        final Path journal = temporary.resolve("journal-0");
        open(journal).close();
        final ConfigException refusal = assertThrows(ConfigException.class, () -> new Incarnation(
            new DirectoryJournal(journal, SMALL),
            Incarnation.config(2).capture(ContentModel.SHAPE.withCombineWeights(false)).build()));
        assertTrue(refusal.getMessage().contains("model.combineWeights=true, but the engine that is to continue it has " +
            "model.combineWeights=no value"), refusal.getMessage());
        open(journal).close();
    }
}
