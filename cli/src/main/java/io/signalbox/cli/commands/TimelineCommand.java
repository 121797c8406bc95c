// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.options.InputPath;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.OutputPath;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.cli.options.WindowOptions;
import io.signalbox.inspect.TimeWindow;
import io.signalbox.inspect.Timeline;
import io.signalbox.printing.PerfettoFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.concurrent.Callable;

/** Writes the timeline of a journal for a viewer. */
@Command(
    name = "timeline",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Write the timeline of a journal as a Perfetto trace.",
    customSynopsis = "signalbox timeline JOURNAL --out FILE [OPTIONS]",
    description = {
        "%nThe file opens in the Perfetto UI, ui.perfetto.dev, which reads it in the browser. Each rank has a track of " +
            "steps, marks for preemptions, pauses and faults, and counters of KV blocks in use and running requests. " +
            "Arrows lead from the Submit of a request to the steps that admit it, give its first token and end it. Times " +
            "are logical. Only reads the journal, which may still be written meanwhile."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox timeline runs/0001 --out run.pftrace",
        "  signalbox timeline runs/0001 --from 60 --to 65 --out minute.pftrace",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
public final class TimelineCommand implements Callable<Integer>
{
    private static final String NAME = "signalbox timeline";

    private final Console console;

    @Parameters(paramLabel = "JOURNAL", description = "The journal's directory.")
    @InputPath
    private Path journal;

    @Option(names = FileOfJournalRun.OUT, paramLabel = "FILE", required = true,
        description = "Write to FILE, which is new; gzipped if its name ends in .gz.")
    @OutputPath
    private Path out;

    @Mixin
    private final WindowOptions windowOptions = new WindowOptions();

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

    public TimelineCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        JournalArgument.requireNamed(journal);
        final TimeWindow window = windowOptions.window(journal);
        RemovedRecords.note(console, NAME, journal);
        return new FileOfJournalRun(console, NAME, journal, out).call(jsonOptions, progressOption,
            file -> new PerfettoFile(file, window),
            (timeline, progress) -> Timeline.read(journal, timeline, window, progress));
    }
}
