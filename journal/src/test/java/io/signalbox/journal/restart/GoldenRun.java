// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.engine.CompletionHandle;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.KilledCopy;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The program that wrote the golden journal of a run that was killed, continued, given new weights and closed. */
final class GoldenRun
{
    private static final JournalConfig SMALL = new JournalConfig(Durability.RECORD, 1 << 16, 1 << 18);

    private GoldenRun()
    {
    }

    /** @param arguments a directory that does not exist, below which the journal is made. */
    public static void main(final String[] arguments) throws Exception
    {
        final Path directory = Path.of(arguments[0]);
        final Path first = directory.resolve("killed");
        final Incarnation killed = open(first);
        for (int i = 1; i <= 9; i++)
        {
            killed.submit(request(i));
            killed.turn(2);
        }
        final Path journal = KilledCopy.of(first, directory.resolve("restarted"));
        final Incarnation second = open(journal);
        second.newWeights();
        for (int i = 10; i <= 14; i++)
        {
            second.submit(request(i));
            second.turn(1);
        }
        second.close();
        final Incarnation third = open(journal);
        third.submit(request(15)).cancel();
        third.finish();
        final List<CompletionHandle> resumed = third.resumed();
        Incarnation.rows(resumed.get(0));
        third.close();
        killed.close();
    }

    private static Incarnation open(final Path directory)
    {
        return new Incarnation(new DirectoryJournal(directory, SMALL), Incarnation.config(2).kvBlocks(14).build());
    }

    private static Ask request(final int number)
    {
        final int[] prompt = new int[6 + number * 7 % 30];
        Arrays.setAll(prompt, i -> (i * 3 + number % 3) % ContentModel.VOCABULARY);
        return new Ask(prompt, 6 + number % 9, 0, 0);
    }
}
