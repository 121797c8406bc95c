// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Counts the checks of a fixture and keeps the first failures. */
final class ConformanceChecks
{
    private static final int MOST_SHOWN = 10;

    private final String name;
    private int checks;
    private int failed;
    private final List<String> failures = new ArrayList<>();

    ConformanceChecks(final String name)
    {
        this.name = name;
    }

    void check(final boolean holds, final Supplier<String> failure)
    {
        checks++;
        if (!holds)
        {
            failed++;
            if (failures.size() < MOST_SHOWN)
            {
                failures.add(failure.get());
            }
        }
    }

    /** Each of {@code count} values may differ by at most {@code tolerance}; NaN never passes. One check. */
    void near(
        final float[] actual, final int at, final float[] expected, final int from, final int count, final double tolerance,
        final String place)
    {
        int worst = -1;
        double most = tolerance;
        for (int i = 0; i < count; i++)
        {
            final double difference = Math.abs((double)actual[at + i] - expected[from + i]);
            if (!(difference <= most))
            {
                worst = i;
                most = difference;
            }
        }
        final int element = worst;
        check(worst < 0, () -> place + ": element " + element + " is " + actual[at + element] + " and not " +
            expected[from + element] + ", tolerance " + tolerance);
    }

    boolean passed()
    {
        return failed == 0;
    }

    String line()
    {
        return name + ": " + checks + " checks, " + failed + " failed";
    }

    String failures()
    {
        return line() + System.lineSeparator() + String.join(System.lineSeparator(), failures);
    }
}
