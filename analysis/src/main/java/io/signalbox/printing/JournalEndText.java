// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.inspect.RequestInspection.JournalEnd;

/** How a journal ends, in words. */
final class JournalEndText
{
    private JournalEndText()
    {
    }

    static String of(final JournalEnd end)
    {
        return switch (end)
        {
            case CLOSED -> "closed";
            case DISK_FULL -> "cut short: the disk was full";
            case FAILED -> "cut short: the run failed";
            case RECOVERED -> "closed by recovery: its writer was stopped";
            case NOT_CLOSED -> "not closed: its writer was stopped";
            case BEING_WRITTEN -> "being written: more may follow";
        };
    }
}
