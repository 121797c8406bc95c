// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.CommandFailure;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.ReadingProgress;
import io.signalbox.cli.options.JournalOptions;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.inspect.TimeWindow;
import io.signalbox.inspect.history.HistoryCollector;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalRetention;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.JournalWriter;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.StateStart;
import io.signalbox.journal.UpkeepListener;
import io.signalbox.journal.Verification;
import io.signalbox.printing.JournalFacts;
import io.signalbox.printing.OutputFile;
import io.signalbox.printing.RunInspection;
import io.signalbox.printing.Verdict;
import io.signalbox.printing.page.RunPage;
import io.signalbox.printing.page.RunPageInput;
import io.signalbox.report.RunReport;
import io.signalbox.report.ServiceLevel;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.SimulationConfig;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;

/** The journal of the run of a command: reports what cannot be removed of it, and verifies it when it is closed. */
record WrittenJournal(Console console, String command, JournalOptions options, ProgressOption progressOption)
    implements UpkeepListener
{
    @Override
    public void onFailure(final String sentence, final boolean continues)
    {
        console.err().println(command + ": " + sentence + (continues ? "" :
            " It is not tried again; the run itself is not affected."));
    }

    /** Writes the snapshots and removes the segments that are left to it, then verifies what there is. */
    Verdict verify(
        final JournalWriter writer, final DpRouters routers, final Function<SchedulerConfig, Scheduler> factory)
    {
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, command + ", verifying")))
        {
            options.conclude(writer.path(), routers, this, progress);
            return options.verifies() ? Verdict.of(writer, verify(writer.path(), routers, factory, progress)) :
                Verdict.NOT_ASKED;
        }
        // The run has ended: its report is printed even if the journal cannot be read.
        catch (final JournalException | OutOfMemoryError e)
        {
            return Verdict.unread(CommandFailure.of(e).sentence(), e);
        }
    }

    /**
     * Reads the journal and writes the report as a page.
     *
     * @param page  {@code null} if none is asked for.
     * @param level limits of goodput; {@code null}: none.
     */
    void write(
        final OutputFile page, final JournalFacts facts, final RunReport report, final Map<String, String> settings,
        final ServiceLevel level)
    {
        if (page == null)
        {
            return;
        }
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, command + ", reading"));
            StateStart start = StateStart.of(facts.path(), progress))
        {
            final HistoryCollector history = new HistoryCollector(start, SimulationConfig.isIn(settings), TimeWindow.ALL);
            final RunInspection run = RunInspection.read(facts.path(), start, null, history);
            page.write(RunPage.html(new RunPageInput(report, history.history(), facts,
                run.journalEnd(), settings, level, "")));
        }
    }

    /** The exit code of a command whose journal has this verdict. */
    static int exitCode(final Verdict verdict)
    {
        return verdict.problem() == null ? ExitCode.OK :
            verdict.unread() == null ? ExitCode.CHECK_FAILED : CommandFailure.of(verdict.unread()).exitCode();
    }

    private static Verification verify(
        final Path journal,
        final DpRouters routers,
        final Function<SchedulerConfig, Scheduler> factory,
        final ReadProgress progress)
    {
        return JournalRetention.firstRecord(journal) > 0 ? JournalVerifier.verifyKept(journal, routers, progress) :
            JournalVerifier.verify(journal, routers, factory, progress);
    }

    /** Names its place on standard error. */
    void print(final Path journal)
    {
        final long first = JournalRetention.firstRecord(journal);
        console.err().printf("journal           %s%s%n", journal,
            first > 0 ? ", which begins at record " + first + ": older segments were removed" : "");
    }
}
