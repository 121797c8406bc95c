// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.incident;

import io.signalbox.DocumentSchema;
import io.signalbox.compare.incident.IncidentFinding;
import io.signalbox.compare.incident.ReportedIncident;
import io.signalbox.compare.incident.ReportedIncident.Unit;
import io.signalbox.printing.Decimals;
import io.signalbox.printing.JsonDocument;
import io.signalbox.printing.Printable;
import io.signalbox.printing.figures.TextColumns;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The table of incidents: a line per router, a column per incident, then what the columns mean. */
public final class IncidentReport
{
    private static final double PERCENT = 100;

    private IncidentReport()
    {
    }

    /**
     * {@code compare --incidents --json}.
     *
     * @param incidents the incidents
     * @param routers   what each router did
     */
    @DocumentSchema("signalbox.incidents/1")
    public record IncidentDocument(List<TriedIncident> incidents, List<TriedRouter> routers)
    {
    }

    /**
     * An incident that users of another system reported.
     *
     * @param id       short name
     * @param source   where it was reported
     * @param scenario what is simulated
     * @param figure   what {@code value} of a finding is: a share from 0 to 1, a multiple, a number of ranks or seconds
     * @param below    whether the incident happens if the value is below the limit; otherwise it happens above it
     * @param limit    the limit; {@code null} if no value is an incident
     */
    public record TriedIncident(
        String id, String source, String scenario, String figure, boolean below, Double limit)
    {
        private static TriedIncident of(final ReportedIncident incident)
        {
            return new TriedIncident(incident.id(), incident.source(), incident.scenario(), incident.figure(),
                incident.isBelow(), Double.isInfinite(incident.limit()) ? null : incident.limit());
        }
    }

    /**
     * A router in all scenarios.
     *
     * @param router   label
     * @param findings one per incident, in their order
     */
    public record TriedRouter(String router, List<TriedFinding> findings)
    {
    }

    /**
     * A router in one scenario.
     *
     * @param id       the incident
     * @param value    the figure of the incident; {@code null} if the run came to a standstill or the router failed
     * @param happened whether the incident happened; a standstill is an incident, a failure is not
     * @param failure  what the router did when it failed; {@code null} if it did not fail
     */
    public record TriedFinding(String id, double value, boolean happened, String failure)
    {
    }

    /** The findings as JSON. */
    public static String json(final List<IncidentFinding> findings)
    {
        final Map<String, List<TriedFinding>> byRouter = new LinkedHashMap<>();
        findings.forEach(finding -> byRouter.computeIfAbsent(finding.router(), label -> new ArrayList<>()).add(
            new TriedFinding(finding.incident().id(), finding.value(), finding.happened(), finding.failure())));
        final List<TriedRouter> routers = new ArrayList<>();
        byRouter.forEach((label, all) -> routers.add(new TriedRouter(label, all)));
        return JsonDocument.text(
            new IncidentDocument(Arrays.stream(ReportedIncident.values()).map(TriedIncident::of).toList(), routers));
    }

    /** Prints the table and its legend. @param findings by router, then by incident. */
    public static void print(final PrintStream out, final List<IncidentFinding> findings)
    {
        final List<ReportedIncident> incidents = List.of(ReportedIncident.values());
        final List<List<String>> lines = new ArrayList<>();
        final List<String> titles = new ArrayList<>(List.of("router"));
        incidents.forEach(incident -> titles.add(incident.id() + " "));
        lines.add(titles);
        for (int from = 0; from < findings.size(); from += incidents.size())
        {
            final List<String> line = new ArrayList<>(List.of(findings.get(from).router()));
            findings.subList(from, from + incidents.size()).forEach(finding -> line.add(cell(finding, findings)));
            lines.add(line);
        }
        TextColumns.print(out, 1, lines);
        out.print("\n! the incident happened\n");
        findings.stream().filter(finding -> finding.failure() != null)
            .forEach(finding -> out.print("failed: " + finding.router() + " in " + finding.incident().id() +
                ": the router " + Printable.text(finding.failure()) + '\n'));
        incidents.forEach(incident -> out.print(legend(incident)));
    }

    private static String cell(final IncidentFinding finding, final List<IncidentFinding> all)
    {
        final boolean hasPlace = Double.isInfinite(finding.incident().limit()) && !Double.isNaN(finding.value());
        return (finding.failure() != null ? "failed" : Double.isNaN(finding.value()) ? "standstill" :
            text(finding.incident().unit(), finding.value())) + (hasPlace ? place(finding, all) : "") +
            (finding.happened() ? "!" : " ");
    }

    /** If no value is an incident, routers are only ordered; a router without a value has no place. */
    private static String place(final IncidentFinding finding, final List<IncidentFinding> all)
    {
        return " (" + (1 + all.stream().filter(other -> other.incident() == finding.incident() &&
            other.value() < finding.value()).count()) + ")";
    }

    private static String text(final Unit unit, final double value)
    {
        return switch (unit)
        {
            case PERCENT -> Decimals.text(value * PERCENT, 0) + " %";
            case TIMES -> Decimals.text(value, 2);
            case RANKS -> Decimals.text(value, 0);
            case SECONDS -> Decimals.text(value, 2) + " s";
        };
    }

    private static String legend(final ReportedIncident incident)
    {
        return "%n%s (%s): %s.%n  Figure: %s%s.%n".formatted(incident.id(), incident.source(), incident.scenario(),
            incident.figure(), Double.isInfinite(incident.limit()) ? "" : "; the incident happens " +
                (incident.isBelow() ? "below " : "above ") + text(incident.unit(), incident.limit()))
            .replace(System.lineSeparator(), "\n");
    }
}
