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

    /** From 1 while {@link RepeatedClass} runs a class again, else 0: random runs take other seeds in each repetition. */
    public static int repetition()
    {
        return Integer.getInteger("signalbox.repetition", 0);
    }
}
