// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare.incident;

/**
 * One router in the scenario of one incident.
 *
 * @param router   its label.
 * @param value    the figure of the incident; NaN if the run came to a standstill.
 * @param happened whether the incident happened.
 */
public record IncidentFinding(ReportedIncident incident, String router, double value, boolean happened)
{
    static IncidentFinding of(final ReportedIncident incident, final String router, final double value)
    {
        return new IncidentFinding(incident, router, value, incident.happens(value));
    }
}
