// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.JournalBeginning;
import io.signalbox.journal.segment.SealedSegments;
import io.signalbox.journal.segment.SegmentSums;
import io.signalbox.scheduler.Scheduler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Removes segments of journals and checks the result; also run with defects that are planted into the classes. */
public final class RetentionRuns
{
    private static final int GROUPS = 2_400;
    private static final int EVERY = 900;
    private static final int OFTEN = 200;
    private static final int SELDOM = 1_500;

    private RetentionRuns()
    {
    }

    /** The first check that fails; {@code null}: none does. */
    public static String firstFailure(final int ignored)
    {
        try
        {
            final Path directory = Files.createTempDirectory("signalbox-retention-");
            try
            {
                return firstFailure(directory);
            }
            finally
            {
                delete(directory);
            }
        }
        catch (final IOException | RuntimeException e)
        {
            return String.valueOf(e);
        }
    }

    private static String firstFailure(final Path directory) throws IOException
    {
        final Path held = directory.resolve("held");
        try (JournalWriter writer = JournalWriter.create(held, Runs.settings(), EndedRuns.CONFIG))
        {
            final Scheduler scheduler = new Scheduler(Runs.CONFIG);
            EndedRuns.append(writer, scheduler, 0, 2);
            EndedRuns.append(writer, scheduler, 4, GROUPS);
        }
        EndedRuns.snapshots(held, EVERY);
        if (EndedRuns.keepSegments(held, 1).segments() > 0)
        {
            return "the Submit of a live request is gone";
        }
        final Path journal = directory.resolve("journal");
        EndedRuns.write(journal, GROUPS);
        EndedRuns.snapshots(journal, EVERY);
        try (JournalReader reader = JournalReader.open(journal))
        {
            reader.next();
            if (EndedRuns.keepSegments(journal, 1).segments() > 0)
            {
                return "a reader of this process has lost its segment";
            }
        }
        if (!isAloneAtWork(journal))
        {
            return "a second thread removes segments";
        }
        if (EndedRuns.keepSegments(journal, 1).segments() == 0)
        {
            return "nothing is removed";
        }
        final Verification found = JournalVerifier.verifyKept(journal, EndedRuns.ROUTERS, ReadProgress.NONE);
        if (!found.matches() || !found.passedOver().isEmpty())
        {
            return "the older snapshot does not serve: " + found;
        }
        readKept(journal);
        Files.delete(journal.resolve(JournalBeginning.FILE));
        JournalVerifier.verifyKept(journal, EndedRuns.ROUTERS, ReadProgress.NONE);
        final String removed = firstRemovedOfASnapshot(directory);
        return removed == null ? firstUnseenDamage(held) : removed;
    }

    /** One kind of snapshot is written rarely: its older snapshot needs more segments than the other kind. */
    private static String firstRemovedOfASnapshot(final Path directory)
    {
        for (final boolean seldomStates : new boolean[] {false, true})
        {
            final Path journal = directory.resolve("seldom-" + seldomStates);
            EndedRuns.write(journal, GROUPS);
            EndedRuns.snapshots(journal, seldomStates ? SELDOM : OFTEN, seldomStates ? OFTEN : SELDOM);
            final long first = EndedRuns.keepSegments(journal, 1).firstRecord();
            if (first == 0 || first > SELDOM)
            {
                return "the journal begins at record " + first + ", and its older snapshot is of record " + SELDOM;
            }
            final Verification found = JournalVerifier.verifyKept(journal, EndedRuns.ROUTERS, ReadProgress.NONE);
            if (!found.matches() || !found.passedOver().isEmpty())
            {
                return "the older of seldom snapshots does not serve: " + found;
            }
        }
        return null;
    }

    /** Asks for a second removal from within the first one. */
    private static boolean isAloneAtWork(final Path journal)
    {
        final boolean[] refused = new boolean[1];
        final Path copy = KilledCopy.of(journal, journal.resolveSibling("at-work"));
        new JournalRetention(copy, RetentionLimits.NONE.withMostSegments(1), EndedRuns.ROUTERS, (done, total) ->
        {
            try
            {
                if (!refused[0])
                {
                    EndedRuns.keepSegments(copy, 1);
                }
            }
            catch (final JournalException e)
            {
                refused[0] = e.kind() == JournalException.Kind.LOCKED && e.getMessage().startsWith("another thread");
            }
        }, EndedRuns.UNSEEN).apply();
        return refused[0];
    }

    /** From the first record that is kept. */
    private static void readKept(final Path journal)
    {
        try (JournalReader reader = JournalReader.openKept(journal, ReadProgress.NONE))
        {
            boolean more = true;
            while (more)
            {
                more = reader.next();
            }
        }
    }

    private static String firstUnseenDamage(final Path journal) throws IOException
    {
        final Path file = DirectoryFiles.of(journal).dataFile(1);
        final byte[] bytes = Files.readAllBytes(file);
        for (final int at : List.of(3, 30_000, SegmentSums.PIECE_BYTES + 40))
        {
            bytes[at] ^= 2;
            Files.write(file, bytes);
            try
            {
                SealedSegments.check(journal, 3, ReadProgress.NONE);
                return "a flipped bit at " + at + " is not seen";
            }
            catch (final JournalException e)
            {
                bytes[at] ^= 2;
            }
        }
        return null;
    }

    static void delete(final Path directory) throws IOException
    {
        try (Stream<Path> files = Files.walk(directory))
        {
            for (final Path file : files.sorted(Comparator.reverseOrder()).toList())
            {
                Files.delete(file);
            }
        }
    }
}
