// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

/** Counts of the long tests: reduced in every build, full with {@code -Pfull}, between them with a divisor. */
public final class TestStrength
{
    private TestStrength()
    {
    }

    public static boolean isFull()
    {
        return "full".equals(System.getProperty("signalbox.tests"));
    }

    /**
     * @param reduced in every build.
     * @param full    with {@code -Pfull}. If it is smaller than {@code reduced}, both are steps between the places to try.
     * @return with {@code -Pfull -Dsignalbox.divisor=N}, the full count divided by N, or the full step times N, but never
     *     less work than {@code reduced}.
     */
    public static int count(final int reduced, final int full)
    {
        if (!isFull())
        {
            return reduced;
        }
        return full < reduced ? (int)Math.min(reduced, (long)full * divisor()) : Math.max(reduced, full / divisor());
    }

    /** From 1 while {@link RepeatedClass} runs a class again, else 0: random runs take other seeds in each repetition. */
    public static int repetition()
    {
        return Integer.getInteger("signalbox.repetition", 0);
    }

    /** By which full counts are divided: 1, or as {@code scripts/full-tests --divide} says. */
    static int divisor()
    {
        return Math.max(1, Integer.getInteger("signalbox.divisor", 1));
    }
}
