// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options.output;

import io.signalbox.ConfigException;
import io.signalbox.cli.options.JournalOptions;
import io.signalbox.cli.options.OutputPath;
import io.signalbox.printing.OutputFile;
import io.signalbox.printing.page.ShellWords;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The report as one HTML page. */
public final class HtmlOption
{
    /** Room that a page needs unless it shows very many requests. */
    private static final long PAGE_BYTES = 1 << 20;

    /** Its name. */
    private static final String NAME = "--html";

    /** Options that do not change what the page shows; each takes a value. */
    private static final Set<String> NOT_SHOWN = Set.of(NAME, "--json-file", "--csv-file", "--workers");

    @Option(names = NAME, paramLabel = "FILE", description = "Write the report with its charts to FILE as one HTML page.")
    @OutputPath
    private Path file;

    /** @throws io.signalbox.ConfigException if a page is asked for and the run writes no journal. */
    public void check(final JournalOptions journal)
    {
        if (file != null)
        {
            journal.requireJournal(NAME);
        }
    }

    /**
     * @param reason why the command has nothing to draw.
     * @throws ConfigException if a page is asked for.
     */
    public void refuse(final String reason)
    {
        if (file != null)
        {
            throw new ConfigException(NAME + " is for figures, and " + reason + "; leave it out.");
        }
    }

    /** The command that was given, without its options for files and workers: it prints the page as text. */
    public static String command(final CommandSpec spec)
    {
        final List<String> words = new ArrayList<>(List.of("signalbox"));
        final List<String> given = spec.commandLine().getParseResult().originalArgs();
        for (int i = 0; i < given.size(); i++)
        {
            final String word = given.get(i);
            final int equals = word.indexOf('=');
            if (!NOT_SHOWN.contains(equals < 0 ? word : word.substring(0, equals)))
            {
                words.add(word);
            }
            else if (equals < 0)
            {
                i++;
            }
        }
        return ShellWords.command(words);
    }

    /**
     * Reserves the disk space of the page before the work begins.
     *
     * @return {@code null} if no page is asked for.
     * @throws io.signalbox.ConfigException if the file cannot be written or its disk has no space.
     */
    public OutputFile reserve()
    {
        return OutputFile.reserve(NAME, file, PAGE_BYTES);
    }
}
