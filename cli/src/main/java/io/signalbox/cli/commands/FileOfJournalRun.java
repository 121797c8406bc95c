// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.ReadingProgress;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.journal.ReadProgress;
import io.signalbox.printing.FileOfJournal;
import io.signalbox.printing.NewFile;
import io.signalbox.printing.OutputFile;

import java.nio.file.Path;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Makes one new file of a journal: reserves, reads and writes, lets the file appear, and prints the summary. */
record FileOfJournalRun(Console console, String command, Path journal, Path out)
{
    static final String OUT = "--out";
    private static final int DOCUMENT_BYTES = 1 << 12;

    /**
     * @param begin makes the content of the file.
     * @param read  reads the journal into the content.
     */
    <T extends FileOfJournal> int call(
        final JsonOptions json,
        final ProgressOption progress,
        final Function<NewFile, T> begin,
        final BiFunction<T, ReadProgress, JournalEnd> read)
    {
        try (OutputFile document = json.reserve(DOCUMENT_BYTES); NewFile file = NewFile.create(OUT, out))
        {
            final T content = begin.apply(file);
            final JournalEnd end;
            try (ReadingProgress reading = new ReadingProgress(progress.show(console, command)))
            {
                end = read.apply(content, reading);
            }
            content.publish(journal);
            json.print(console, document, () -> content.json(journal, out, end), () -> content.print(console.out(), end));
            return ExitCode.OK;
        }
    }
}
