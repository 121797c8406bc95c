// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.ConfigException;

/** Bounds of a router's knobs, and what is said about those beyond. */
final class KnobRange
{
    static final double MAX_WEIGHT = 1.0E12;

    private KnobRange()
    {
    }

    /**
     * For factors of a score: products of a few of them with the largest loads stay finite, so that a score is a number.
     *
     * @throws ConfigException unless the value is from 0 to {@link #MAX_WEIGHT}.
     */
    static void checkWeight(final String name, final double value)
    {
        if (!(value >= 0.0 && value <= MAX_WEIGHT))
        {
            throw new ConfigException(name + "=" + value + " is not between 0 and " + MAX_WEIGHT + "; give a weight in " +
                "that range.");
        }
    }

    /** @throws ConfigException unless the value is finite and 0 or more. */
    static void checkNotNegative(final String name, final double value)
    {
        if (!(value >= 0.0) || Double.isInfinite(value))
        {
            throw new ConfigException(name + "=" + value + " is not a finite value >= 0; give one.");
        }
    }
}
