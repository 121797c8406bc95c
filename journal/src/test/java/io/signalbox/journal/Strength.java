// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

/** Counts of the long tests: reduced in every build, full with -Pfull. */
public final class Strength
{
    private Strength()
    {
    }

    public static boolean isFull()
    {
        return "full".equals(System.getProperty("signalbox.tests"));
    }

    static int of(final int reduced, final int full)
    {
        return isFull() ? full : reduced;
    }
}
