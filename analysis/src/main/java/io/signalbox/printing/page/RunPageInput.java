// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.inspect.history.RunHistory;
import io.signalbox.printing.JournalFacts;
import io.signalbox.report.RunReport;
import io.signalbox.report.ServiceLevel;
import io.signalbox.sim.SimulationConfig;

import java.util.Map;

/**
 * What the page of a run shows.
 *
 * @param report     figures of the run.
 * @param history    what happened over time.
 * @param journal    figures of the journal.
 * @param journalEnd how the journal ends, in words.
 * @param settings   run description, by the names of the journal.
 * @param level      limits of goodput; {@code null} if none are given.
 * @param window     the part of the time that it shows; empty: the whole run.
 */
public record RunPageInput(
    RunReport report, RunHistory history, JournalFacts journal, String journalEnd,
    Map<String, String> settings, ServiceLevel level, String window)
{
    /** The journal as the user named it. */
    String name()
    {
        return journal.path().toString();
    }

    boolean isSimulated()
    {
        return SimulationConfig.isIn(settings);
    }

    /** The journal as an argument of a command; quoted for a shell if its name needs that. */
    String argument()
    {
        return ShellWords.quoted(name());
    }

    /** A command that asks the journal. */
    String command(final String question, final String options)
    {
        return "signalbox inspect " + question + " " + argument() + (options.isEmpty() ? "" : " " + options);
    }
}
