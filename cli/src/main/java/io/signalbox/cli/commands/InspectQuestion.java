// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.ReadingProgress;
import io.signalbox.cli.options.InputPath;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.inspect.RequestInspection;
import io.signalbox.inspect.RequestInspector;
import io.signalbox.printing.Decimals;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

/** A question about a journal: a subcommand of {@code inspect}. */
abstract class InspectQuestion implements Callable<Integer>
{
    private final Console console;

    @Parameters(index = "0", paramLabel = "JOURNAL", description = "The journal's directory.")
    @InputPath
    private Path journal;

    @ArgGroup(validate = false, heading = "%nWhile the journal is read:%n", order = 2)
    private final ProgressOption progressOption = new ProgressOption();

    InspectQuestion(final Console console)
    {
        this.console = console;
    }

    @Override
    public final Integer call()
    {
        JournalArgument.requireNamed(journal);
        answer();
        return ExitCode.OK;
    }

    /** Checks the options, reads the journal and prints the answer. */
    abstract void answer();

    final Console console()
    {
        return console;
    }

    final Path journal()
    {
        return journal;
    }

    final ReadingProgress progress()
    {
        return new ReadingProgress(progressOption.show(console, InspectCommand.NAME));
    }

    final void noteRemovedRecords()
    {
        RemovedRecords.note(console, InspectCommand.NAME, journal);
    }

    /** @throws ConfigException if the journal does not have this request. */
    final RequestInspection inspectRequest(final long id)
    {
        try (ReadingProgress progress = progress())
        {
            final RequestInspection inspection = RequestInspector.inspect(journal, id, progress);
            if (inspection.lives().isEmpty())
            {
                // A wrong id would find nothing, which looks like an answer.
                throw new ConfigException("request " + id + " is not in " + journal + ", " + known(inspection));
            }
            return inspection;
        }
    }

    private static String known(final RequestInspection inspection)
    {
        final RequestInspection.SubmittedIds submitted = inspection.submitted();
        return submitted.count() == 0
            ? "which holds no request" + (inspection.end() == RequestInspection.JournalEnd.BEING_WRITTEN ? " yet" : "") +
                "; give another journal."
            : "whose " + Decimals.grouped(submitted.count()) + " requests have ids from " + submitted.lowestId() + " to " +
                submitted.highestId() + "; give one of them.";
    }

    /** @throws ConfigException if the number is negative. */
    static int whole(final String name, final int number)
    {
        if (number < 0)
        {
            throw new ConfigException(name + "=" + number + " is negative; give 0 or more.");
        }
        return number;
    }

    /** A misspelt name would find nothing, which looks like an answer. */
    static void requireKnown(final String option, final List<String> given, final List<String> known)
    {
        for (final String name : given)
        {
            if (!known.contains(name))
            {
                throw new ConfigException(option + "='" + name + "' is not known; give " + String.join(", ", known) + ".");
            }
        }
    }
}
