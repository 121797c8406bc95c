// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

/** Counts of the long tests: reduced in every build, full with {@code -Pfull}. */
public final class TestStrength
{
    private TestStrength()
    {
    }

    public static boolean isFull()
    {
        return "full".equals(System.getProperty("signalbox.tests"));
    }

    public static int count(final int reduced, final int full)
    {
        return isFull() ? full : reduced;
    }
}
