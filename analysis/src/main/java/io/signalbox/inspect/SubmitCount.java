// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.inspect.RequestInspection.SubmittedIds;

/** Counts Submits and their range of ids, for a message about an id that a journal does not have. */
final class SubmitCount
{
    private long count;
    private long lowest;
    private long highest;

    void add(final long requestId)
    {
        lowest = count == 0 ? requestId : Math.min(lowest, requestId);
        highest = count == 0 ? requestId : Math.max(highest, requestId);
        count++;
    }

    SubmittedIds submits()
    {
        return new SubmittedIds(count, lowest, highest);
    }
}
