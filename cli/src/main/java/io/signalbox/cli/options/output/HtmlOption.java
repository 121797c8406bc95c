// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options.output;

import io.signalbox.cli.options.JournalOptions;
import io.signalbox.cli.options.OutputPath;
import io.signalbox.printing.OutputFile;
import picocli.CommandLine.Option;

import java.nio.file.Path;

/** The report as one HTML page. */
public final class HtmlOption
{
    /** Room that a page needs unless it shows very many requests. */
    private static final long PAGE_BYTES = 1 << 20;

    /** Its name. */
    private static final String NAME = "--html";

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
