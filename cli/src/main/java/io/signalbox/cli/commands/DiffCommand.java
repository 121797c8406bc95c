// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.ReadingProgress;
import io.signalbox.cli.options.InputPath;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.diff.JournalDiff;
import io.signalbox.printing.DiffDocument;
import io.signalbox.printing.DiffText;
import io.signalbox.printing.JsonDocument;
import io.signalbox.printing.OutputFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.concurrent.Callable;

/** Compares two journals. */
@Command(
    name = "diff",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "signalbox diff JOURNAL JOURNAL [OPTIONS]",
    header = "Compare two journals: settings, the first event that differs, and the requests.",
    description = {
        "%nPrints the settings that differ, then the first event that differs with its fields side by side, then the " +
            "requests that were placed elsewhere, found other cached tokens, took other times or ended in another way. " +
            "Only reads."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox diff runs/0001 runs/0002",
        "  signalbox diff runs/0001 runs/0002 --json",
        "",
        "Exit codes: 0 the journals are equal; 1 they differ, or one is refused; 2 usage or environment",
        "            error: options, permissions, disk or memory; 3 internal error."})
public final class DiffCommand implements Callable<Integer>
{
    private static final int DOCUMENT_BYTES = 1 << 17;

    private final Console console;

    @Parameters(index = "0", paramLabel = "JOURNAL", description = "The directory of the first journal.")
    @InputPath
    private Path left;

    @Parameters(index = "1", paramLabel = "JOURNAL", description = "The directory of the second journal.")
    @InputPath
    private Path right;

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

    public DiffCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        if (left.toString().isEmpty() || right.toString().isEmpty())
        {
            throw new ConfigException("a JOURNAL is empty; give the directories of two journals.");
        }
        try (OutputFile file = jsonOptions.reserve(DOCUMENT_BYTES))
        {
            final JournalDiff diff = read();
            jsonOptions.print(console, file, () -> JsonDocument.text(DiffDocument.of(diff)),
                () -> DiffText.print(console.out(), diff));
            return diff.isEqual() ? ExitCode.OK : ExitCode.CHECK_FAILED;
        }
    }

    private JournalDiff read()
    {
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, "signalbox diff")))
        {
            return JournalDiff.between(left, right, progress);
        }
    }
}
