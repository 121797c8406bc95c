// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: routing incidents that users of other systems reported, as scenarios for any router.
 *
 * <p>{@link io.signalbox.compare.incident.ReportedIncident} says what must not happen,
 * {@link io.signalbox.compare.incident.IncidentTrials} simulates it, and {@link io.signalbox.compare.incident.IncidentTable}
 * tries several routers.
 */
package io.signalbox.compare.incident;
