// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.scheduler.Scheduler;

import java.util.Map;

/**
 * The scheduler of a run behind one of its groups.
 *
 * @param settings the run description.
 */
record SchedulerSnapshot(Map<String, String> settings, JournalMark mark, Scheduler scheduler)
{
}
