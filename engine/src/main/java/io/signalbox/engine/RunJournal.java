// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import java.util.Map;

/** A place that keeps one run, also over several engines: each later engine continues where the one before stopped. */
public interface RunJournal
{
    /**
     * Opens the run that is kept here, or begins one. Nothing that was written before is changed by it.
     *
     * @param description everything that the decisions of the run depend on, by name.
     * @throws io.signalbox.ConfigException if a run is kept here that has another description; the message names the
     *     first difference.
     */
    RecordedRun open(Map<String, String> description);
}
