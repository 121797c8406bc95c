// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare.incident;

/**
 * One router in the scenario of one incident.
 *
 * @param router   its label.
 * @param value    the figure of the incident; NaN if the run came to a standstill, or the router failed.
 * @param happened whether the incident happened; a standstill is an incident, a failure is not.
 * @param failure  what the router did when it failed, in words that follow "the router"; {@code null} if it did not fail.
 */
public record IncidentFinding(ReportedIncident incident, String router, double value, boolean happened, String failure)
{
    static IncidentFinding of(final ReportedIncident incident, final String router, final double value)
    {
        return new IncidentFinding(incident, router, value, incident.happens(value), null);
    }

    static IncidentFinding failed(final ReportedIncident incident, final String router, final String failure)
    {
        return new IncidentFinding(incident, router, Double.NaN, false, failure);
    }
}
