// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.inspect.history.RunHistory;
import io.signalbox.printing.Decimals;
import io.signalbox.printing.JournalFacts;
import io.signalbox.report.ServiceLevel;

import java.util.List;
import java.util.Map;

/** The report of a run as one HTML page. The same journal gives the same bytes. */
public final class RunPage
{
    private RunPage()
    {
    }

    public static String html(final RunPageInput input)
    {
        final RunFigures run = new RunFigures(input.history(), input.level());
        final Incidents grouped = new Incidents(run);
        final List<Incident> incidents = grouped.found();
        final List<Incidents.Down> downs = grouped.downs();
        final StringBuilder navigation = new StringBuilder();
        final StringBuilder sections = new StringBuilder();
        add(navigation, sections, "time", "Time", new StripPart(input, run, incidents, downs).html());
        add(navigation, sections, "ranks", "Ranks", new LanesPart(input, run, downs).html());
        add(navigation, sections, "requests", "Requests", new RequestsPart(input, run).html());
        add(navigation, sections, "slowest", "Slowest", new SlowestPart(input, run).html());
        add(navigation, sections, "settings", "Settings", new SettingsPart(input).html());
        final String body = "<header class=\"top\"><a class=\"skip\" href=\"#time\">Skip to the charts</a>" +
            "<div class=\"topline\"><h1>" + Markup.escaped(input.name()) + "</h1><nav class=\"toc noprint\" " +
            "aria-label=\"sections\">" + navigation + "</nav></div>" +
            new HeadPart(input, run, incidents, downs).html() + "</header><main>" + sections + "</main>" +
            "<footer class=\"end\"><p>Signalbox \u00b7 every figure names the command that prints it " +
            "as text \u00b7 the same journal gives the same bytes</p></footer>";
        return PageFile.html(input.name() + " \u2013 Signalbox run report", body);
    }

    /** The page of a part of the time of a run. */
    public static String html(
        final WindowReport window, final RunHistory history, final JournalFacts journal, final String journalEnd,
        final Map<String, String> settings, final ServiceLevel level)
    {
        return html(new RunPageInput(WindowPage.report(window, history, level, settings), history,
            journal, journalEnd, settings, level, Decimals.text(window.fromNanos() / 1e9, 3) + " s to " +
            Decimals.text(window.toNanos() / 1e9, 3) + " s"));
    }

    private static void add(
        final StringBuilder navigation, final StringBuilder sections, final String id, final String title,
        final String body)
    {
        navigation.append("<a href=\"#").append(id).append("\">").append(title).append("</a>");
        sections.append(Markup.section(id, title, body));
    }
}
