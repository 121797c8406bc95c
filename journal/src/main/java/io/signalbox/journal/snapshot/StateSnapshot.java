// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.snapshot;

import io.signalbox.journal.segment.JournalMark;
import io.signalbox.state.FoldedState;

import java.util.Map;

/**
 * The state of a run behind one of its groups.
 *
 * @param settings the run description.
 */
public record StateSnapshot(Map<String, String> settings, JournalMark mark, FoldedState state)
{
}
