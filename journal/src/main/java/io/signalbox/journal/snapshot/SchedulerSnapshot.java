// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.snapshot;

import io.signalbox.journal.segment.JournalMark;
import io.signalbox.scheduler.Scheduler;

import java.util.Map;

/**
 * The scheduler of a run behind one of its groups.
 *
 * @param settings the run description.
 */
public record SchedulerSnapshot(Map<String, String> settings, JournalMark mark, Scheduler scheduler)
{
}
