// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Ways in which the report of a step can go wrong. The declared order is that of the seeded draw. */
enum FaultKind
{
    /** The completion comes later. */
    LATE,
    /** The completion comes after the next one of another step. */
    REORDERED,
    /** The completion comes twice. */
    DUPLICATED,
    /** The completion never comes. */
    DROPPED,
    /** The completion cannot be that of the step. */
    CORRUPT,
    /** The step fails; its rank continues. */
    FAILED,
    /** The step fails, and its rank takes no further one until the backend is reset. */
    LOST;

    String label()
    {
        return name().toLowerCase(Locale.ROOT);
    }

    static List<String> labels()
    {
        return Arrays.stream(values()).map(FaultKind::label).toList();
    }
}
