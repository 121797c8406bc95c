// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.ConfigException;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.inspect.history.HistoryCollector;
import io.signalbox.journal.GroupSource;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.StateStart;
import io.signalbox.report.ReportListener;
import io.signalbox.report.RunReport;
import io.signalbox.report.ServiceLevel;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.state.RunFold;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;

/** The settings and the report of the run of a journal: the report that {@code simulate} prints at its end. */
public final class RunInspection
{
    private final Map<String, String> settings;
    private final RunReport report;
    private final JournalFacts facts;
    private final JournalEnd end;

    private RunInspection(
        final Map<String, String> settings, final RunReport report, final JournalFacts facts, final JournalEnd end)
    {
        this.settings = settings;
        this.report = report;
        this.facts = facts;
        this.end = end;
    }

    /**
     * Reads a journal that is closed, was not closed, or is being written: then up to the last group that is whole. If
     * records were removed, requests that had not ended there count as submitted, without the latencies that are not known.
     *
     * @param level   the service level whose goodput the report has; {@code null}: none.
     * @param history collects what happened over time as well; {@code null}: that is not asked for.
     */
    public static RunInspection read(
        final Path journal, final StateStart start, final ServiceLevel level, final HistoryCollector history)
    {
        final JournalReader reader = start.reader();
        final ReportListener listener = listener(reader).judging(level);
        final RunFold fold =
            history == null ? RunFold.of(listener).behind(start.state()) : history.foldWith(listener);
        JournalEnd end = JournalEnd.BEING_WRITTEN;
        final GroupSource groups = GroupSource.ahead(reader);
        try
        {
            while (groups.next())
            {
                add(listener, fold, history, groups);
            }
            end = JournalEnd.of(reader.ending());
        }
        catch (final JournalException e)
        {
            if (e.kind() != Kind.BEING_WRITTEN)
            {
                throw e;
            }
        }
        finally
        {
            groups.stop();
        }
        return new RunInspection(reader.settings(), listener.report(), new JournalFacts(
            journal, reader.records(), reader.groups(), reader.recordBytes(), reader.digest(), Verdict.NOT_ASKED), end);
    }

    private static void add(
        final ReportListener listener, final RunFold fold, final HistoryCollector history, final GroupSource groups)
    {
        try
        {
            listener.beside(groups.rows());
            if (history != null)
            {
                history.begin(groups);
            }
            fold.onGroup(groups.group(), 0, groups.groupLength());
        }
        catch (final IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException | NullPointerException e)
        {
            throw groups.undecodable(e);
        }
    }

    /** The report decides nothing, so it needs no router, which may be a plug-in. */
    private static ReportListener listener(final JournalReader reader)
    {
        final Map<String, String> settings = reader.settings();
        try
        {
            return new ReportListener(SchedulerConfig.of(RouterConfig.standardIn(settings)),
                RouterConfig.label(settings), RouterConfig.fallbackLabel(settings));
        }
        catch (final ConfigException e)
        {
            // The reader refuses the same description in a sentence that names the journal.
            return new ReportListener(reader.config());
        }
    }

    public RunReport report()
    {
        return report;
    }

    public JournalFacts journal()
    {
        return facts;
    }

    public Map<String, String> settings()
    {
        return settings;
    }

    public JournalEnd end()
    {
        return end;
    }

    /** How the journal ends, in words. */
    public String journalEnd()
    {
        return JournalEndText.of(end);
    }

    public String json()
    {
        return JsonDocument.text(RunDocument.of(report, facts, settings, null));
    }

    public void print(final PrintStream out)
    {
        if (SimulationConfig.isIn(settings))
        {
            ReportText.print(out, report, facts);
        }
        else
        {
            ReportText.printServed(out, report, facts);
        }
        out.printf("%-18s%s%n%n", "journal's end", journalEnd());
        settings.forEach((name, value) -> out.printf("%-40s%s%n", Printable.text(name), Printable.text(value)));
    }
}
