// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.workload.DurationText;

/** Durations of a fault plan, or {@code never}. */
final class FaultDuration
{
    static final String ALLOWED = DurationText.ALLOWED;

    private static final String NEVER = "never";

    private FaultDuration()
    {
    }

    /** @return nanoseconds; {@link FaultPlan#NEVER} for that word; 0 if the text is no duration in range. */
    static long nanos(final String text)
    {
        return text.equals(NEVER) ? FaultPlan.NEVER : DurationText.nanos(text);
    }

    /** The duration in the largest unit that leaves it whole. */
    static String text(final long nanos)
    {
        return nanos == FaultPlan.NEVER ? NEVER : DurationText.text(nanos);
    }
}
