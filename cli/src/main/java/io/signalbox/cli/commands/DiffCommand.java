// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.ReadingProgress;
import io.signalbox.cli.options.GoodputOption;
import io.signalbox.cli.options.InputPath;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.diff.JournalDiff;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.StateStart;
import io.signalbox.printing.DiffDocument;
import io.signalbox.printing.DiffText;
import io.signalbox.printing.JsonDocument;
import io.signalbox.printing.OutputFile;
import io.signalbox.printing.RunInspection;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** Compares two journals. */
@Command(
    name = "diff",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "signalbox diff JOURNAL JOURNAL [JOURNAL...] [OPTIONS]",
    header = "Compare journals: settings, the first event that differs, requests and figures.",
    description = {
        "%nPrints the settings that differ, then the first event that differs with its fields side by side, then the " +
            "requests that were placed elsewhere, found other cached tokens, took other times or ended in another way, " +
            "then percentiles and other figures of both runs. Of three journals or more: figures and settings only. Only " +
            "reads."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox diff runs/0001 runs/0002",
        "  signalbox diff runs/0001 runs/0002 --json",
        "  signalbox diff runs/0001 runs/0002 runs/0003 --slo ttft=500ms,tpot=25ms",
        "",
        "Exit codes: 0 two journals are equal, or more were compared; 1 two differ, or one is refused;",
        "            2 usage or environment error: options, permissions, disk or memory; 3 internal error."})
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

    @Parameters(index = "2..*", arity = "0..*", paramLabel = "JOURNAL",
        description = "The directories of further journals.")
    @InputPath
    private List<Path> others = List.of();

    @Mixin
    private final GoodputOption goodput = new GoodputOption();

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
        final List<Path> journals = new ArrayList<>(List.of(left, right));
        journals.addAll(others);
        if (journals.stream().anyMatch(journal -> journal.toString().isEmpty()))
        {
            throw new ConfigException("a JOURNAL is empty; give the directories of two journals or more.");
        }
        try (OutputFile file = jsonOptions.reserve(DOCUMENT_BYTES))
        {
            final JournalDiff diff = others.isEmpty() ? read() : null;
            final List<RunInspection> runs = journals.stream().map(this::figures).toList();
            if (diff == null)
            {
                jsonOptions.print(console, file, () -> JsonDocument.text(DiffDocument.FiguresDocument.of(runs)),
                    () -> DiffText.print(console.out(), runs));
                return ExitCode.OK;
            }
            jsonOptions.print(console, file, () -> JsonDocument.text(DiffDocument.of(diff, runs)),
                () -> DiffText.print(console.out(), diff, runs));
            return diff.isEqual() ? ExitCode.OK : ExitCode.CHECK_FAILED;
        }
    }

    private RunInspection figures(final Path journal)
    {
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, "signalbox diff"));
            StateStart start = StateStart.of(journal, progress))
        {
            return RunInspection.read(journal, start, goodput.level(), null);
        }
        catch (final JournalException e)
        {
            throw e.in(journal);
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
