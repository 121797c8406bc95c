// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ReadingProgress;
import io.signalbox.cli.options.GoodputOption;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.WindowOptions;
import io.signalbox.cli.options.output.HtmlOption;
import io.signalbox.inspect.TimeWindow;
import io.signalbox.inspect.history.HistoryCollector;
import io.signalbox.inspect.history.RunHistory;
import io.signalbox.journal.StateStart;
import io.signalbox.printing.Decimals;
import io.signalbox.printing.JsonDocument;
import io.signalbox.printing.OutputFile;
import io.signalbox.printing.RunInspection;
import io.signalbox.printing.page.RunPage;
import io.signalbox.printing.page.RunPageInput;
import io.signalbox.printing.page.WindowFigures;
import io.signalbox.printing.page.WindowReport;
import io.signalbox.printing.page.WindowText;
import io.signalbox.sim.SimulationConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Prints the report and the settings of the run of a journal. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Print the report and the settings of a run.",
    customSynopsis = "signalbox inspect run JOURNAL [OPTIONS]",
    description = {
        "%nPrints the report that simulate prints, then the settings. Times are logical. With --from or --to: what " +
            "happened in that part of the time, with faults, load against capacity, and bytes of the journal."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox inspect run runs/0001",
        "  signalbox inspect runs/0001                    the same",
        "  signalbox inspect run runs/0001 --json",
        "  signalbox inspect run runs/0001 --html run.html",
        "  signalbox inspect run runs/0001 --from 60 --to 120",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
final class InspectRun extends InspectQuestion
{
    private static final int RUN_BYTES = 1 << 18;

    @Mixin
    private final GoodputOption goodput = new GoodputOption();

    @Mixin
    private final WindowOptions window = new WindowOptions();

    @Mixin
    private final HtmlOption html = new HtmlOption();

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    InspectRun(final Console console)
    {
        super(console);
    }

    @Override
    void answer()
    {
        noteRemovedRecords();
        try (OutputFile file = jsonOptions.reserve(RUN_BYTES); OutputFile page = html.reserve())
        {
            if (window.isGiven())
            {
                answer(window.window(journal()), file, page);
                return;
            }
            final RunInspection run = read(page);
            jsonOptions.print(console(), file, run::json, () -> run.print(console().out()));
        }
    }

    private void answer(final TimeWindow asked, final OutputFile file, final OutputFile page)
    {
        try (ReadingProgress progress = progress(); StateStart start = StateStart.of(journal(), progress))
        {
            final boolean isSimulated = SimulationConfig.isIn(start.reader().settings());
            final HistoryCollector history = new HistoryCollector(start, isSimulated, asked);
            final RunInspection run = RunInspection.read(journal(), start, null, history);
            final RunHistory happened = history.history();
            final WindowReport report = new WindowFigures(happened, goodput.level())
                .report(journal(), run.end(), isSimulated, journal().toFile().getUsableSpace());
            jsonOptions.print(console(), file, () -> JsonDocument.text(report),
                () -> WindowText.print(console().out(), report, run.journalEnd()));
            if (page != null)
            {
                page.write(RunPage.html(
                    report, happened, run.journal(), run.journalEnd(), run.settings(), goodput.level()));
            }
            if (report.disk() != null)
            {
                console().err().println("disk              " + Decimals.bytes(report.disk().freeBytes()) +
                    " free: full in " + Decimals.text(report.disk().daysUntilFull(), 1) + " days at this rate");
            }
        }
    }

    /** @param page {@code null} if none is asked for. */
    private RunInspection read(final OutputFile page)
    {
        try (ReadingProgress progress = progress(); StateStart start = StateStart.of(journal(), progress))
        {
            final HistoryCollector history = page == null ? null : new HistoryCollector(
                start, SimulationConfig.isIn(start.reader().settings()), TimeWindow.ALL);
            final RunInspection run = RunInspection.read(journal(), start, goodput.level(), history);
            if (page != null)
            {
                page.write(RunPage.html(new RunPageInput(run.report(), history.history(),
                    run.journal(), run.journalEnd(), run.settings(), goodput.level(), "")));
            }
            return run;
        }
    }
}
