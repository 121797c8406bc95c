// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.options.InputPath;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.OptionGroup;
import io.signalbox.cli.options.PruneOptions;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.RunDirectories;
import io.signalbox.journal.RunDirectory;
import io.signalbox.printing.OutputFile;
import io.signalbox.printing.RunsReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** Lists the runs below a directory with their sizes, and removes old ones. */
@Command(
    name = "runs",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "List the runs below a directory with their sizes, and remove old ones.",
    customSynopsis = "signalbox runs [DIRECTORY] [OPTIONS]",
    description = {
        "%nLimits say which runs are too many: with --keep, --older-than and --max-bytes a run is chosen if one of them " +
            "chooses it. Nothing is removed without --remove. A run that is being written, a directory that has other " +
            "files than a run, and the newest run always stay; links are not followed."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox runs                                 the runs below the directory runs",
        "  signalbox runs runs --keep 10                  which runs would go",
        "  signalbox runs runs --keep 10 --remove",
        "",
        "Exit codes: 0 done; 1 a run that was chosen could not be removed; 2 usage or environment",
        "            error: options, permissions or disk; 3 internal error."})
public final class RunsCommand implements Callable<Integer>
{
    private static final int DOCUMENT_BYTES = 1 << 20;

    private final Console console;

    @Parameters(paramLabel = "DIRECTORY", arity = "0..1",
        description = "The directory that has the directories of runs (default: runs).")
    @InputPath
    private Path directory = Path.of("runs");

    @OptionGroup("Limits")
    private final PruneOptions limits = new PruneOptions();

    @Option(names = "--remove", description = "Remove the runs that the limits choose.")
    private boolean remove;

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    public RunsCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        if (directory.toString().isEmpty())
        {
            throw new ConfigException("DIRECTORY is empty; give the directory that has the directories of runs.");
        }
        if (remove && !limits.isAny())
        {
            throw new ConfigException("--remove is given without a limit; add --keep, --older-than or --max-bytes.");
        }
        try (OutputFile file = jsonOptions.reserve(DOCUMENT_BYTES))
        {
            final List<RunDirectory> runs = RunDirectories.below(directory);
            final Map<Path, String> chosen = limits.choose(runs, Instant.now());
            final RunsReport report = new RunsReport(directory, runs, chosen, remove);
            if (remove)
            {
                chosen.keySet().forEach(run -> remove(run, report));
            }
            jsonOptions.print(console, file, report::json, () -> report.print(console.out()));
            return report.anyFailed() ? ExitCode.CHECK_FAILED : ExitCode.OK;
        }
    }

    private static void remove(final Path run, final RunsReport report)
    {
        try
        {
            RunDirectories.remove(run);
            report.removed(run);
        }
        catch (final JournalException e)
        {
            report.failed(run, e.getMessage());
        }
    }
}
