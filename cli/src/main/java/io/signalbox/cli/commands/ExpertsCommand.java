// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.CommandFailure;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.ReadingProgress;
import io.signalbox.cli.options.InputPath;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.OutputPath;
import io.signalbox.cli.options.PluginOptions;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.cli.options.SettingOptions;
import io.signalbox.inspect.RowReplay;
import io.signalbox.journal.ReplayStart;
import io.signalbox.printing.NewDirectory;
import io.signalbox.printing.OutputFile;
import io.signalbox.printing.RowExport;
import io.signalbox.router.DpRouters;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/** Writes the routed-expert rows of a journal's requests to files. */
@Command(
    name = "experts",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Write the routed-expert rows of a journal's requests to files.",
    customSynopsis = "signalbox experts JOURNAL --out DIR [OPTIONS]",
    description = {
        "%nRe-runs the journal and compares every decision, so that the rows are those which the clients could take. " +
            "Writes the ids of each request, int16 [rows, layers, top-k], -1 in rows that are missing, and ID.json with " +
            "layers, weights and the origin of each row. DIR appears when every file is written. Only reads the journal, " +
            "which may still be written meanwhile."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox experts runs/0001 --request 812 --out rows",
        "  signalbox experts runs/0001 --all --format npz --out rows",
        "  signalbox experts runs/0001 --all --split generated --inherited mask --out rows",
        "",
        "Exit codes: 0 done; 1 the journal is refused, or a decision differs; 2 usage or environment error:",
        "            options, permissions, disk or memory; 3 internal error."})
public final class ExpertsCommand implements Callable<Integer>
{
    private static final String OUT = "--out";
    private static final int DOCUMENT_BYTES = 1 << 12;

    private final Console console;

    @Parameters(paramLabel = "JOURNAL", description = "The journal's directory.")
    @InputPath
    private Path journal;

    @Option(names = "--request", paramLabel = "ID", split = ",", description = "Export the requests with these ids.")
    private List<Long> requestIds;

    @Option(names = "--all", description = "Export every request that has ended and asked for rows.")
    private boolean all;

    @Option(names = OUT, paramLabel = "DIR", required = true, description = "Write to DIR, which is new or empty.")
    @OutputPath
    private Path out;

    private final SettingOptions form = SettingOptions.of(RowExport.SETTINGS);

    @Mixin
    private final PluginOptions plugins = new PluginOptions();

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

    public ExpertsCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        check();
        final DpRouters routers = plugins.routers();
        try (OutputFile file = jsonOptions.reserve(DOCUMENT_BYTES);
            ReadingProgress progress = new ReadingProgress(progressOption.show(console, "signalbox experts"));
            ReplayStart start = ReplayStart.of(journal, routers, progress))
        {
            RemovedRecords.note(console, "signalbox experts", journal);
            if (start.reader().shape() == null)
            {
                throw new ConfigException(journal + " has no rows of routed experts, because its run captured none; give " +
                    "the journal of a run that did.");
            }
            return export(start, progress, file);
        }
    }

    private void check()
    {
        form.check();
        JournalArgument.requireNamed(journal);
        if (requestIds == null == !all)
        {
            throw new ConfigException(all ? "--request and --all exclude each other; leave one out." :
                "--request is missing; give --request=ID,..., or --all.");
        }
    }

    private int export(final ReplayStart start, final ReadingProgress progress, final OutputFile file)
    {
        try (NewDirectory directory = NewDirectory.create(OUT, out))
        {
            final RowExport export = new RowExport(directory,
                new RowExport.Form(form.get(RowExport.START), form.get(RowExport.SPLIT), form.get(RowExport.FORMAT),
                    form.get(RowExport.MASKED)),
                requestIds == null ? null : new TreeSet<>(requestIds));
            final RowReplay.Outcome outcome = RowReplay.run(start, export);
            progress.close();
            if (outcome.difference() != null)
            {
                return differs(outcome);
            }
            export.publish(journal, outcome);
            jsonOptions.print(
                console, file, () -> export.json(journal, outcome), () -> export.print(console.out(), outcome));
            return ExitCode.OK;
        }
    }

    private int differs(final RowReplay.Outcome outcome)
    {
        return new CommandFailure(ExitCode.CHECK_FAILED, journal + " was not exported: this program decides record " +
            outcome.difference().sequence() + " otherwise than recorded, so its rows would be others; see " +
            "'signalbox replay " + journal + " --verify'.").print(console, "signalbox experts");
    }
}
