// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import java.util.List;

/**
 * Everything that a check found.
 *
 * @param results one per section, in order.
 * @param stopped whether a section did not end in time: later ones were not run, and the driver may not let the process go.
 */
public record CheckOutcome(List<SectionResult> results, boolean stopped)
{
    public CheckOutcome
    {
        results = List.copyOf(results);
    }
}
