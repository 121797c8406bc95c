// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import java.util.ArrayList;
import java.util.List;

/** Maps values to positions of a plot. {@code StrictMath} gives the same positions on every JVM. */
interface Scale
{
    double[] NICE = {1, 2, 2.5, 5, 10};
    int[] DECADE = {1, 5, 2};

    /** The position of a value; values outside go to the edge. */
    double at(double value);

    /** A round step that divides a span into at most so many parts. */
    static double niceStep(final double span, final int parts)
    {
        final double raw = Math.max(span, 1e-12) / parts;
        final double power = StrictMath.pow(10, StrictMath.floor(StrictMath.log10(raw)));
        for (final double factor : NICE)
        {
            if (factor * power >= raw * 0.999)
            {
                return factor * power;
            }
        }
        return 10 * power;
    }

    /**
     * A linear scale from 0 at {@code low} to {@code most} at {@code high}.
     *
     * @param step between two ticks.
     */
    record Linear(double most, double low, double high, double step) implements Scale
    {
        static Linear of(final double most, final double low, final double high, final int parts)
        {
            final double top = most > 0 ? most : 1;
            return new Linear(top, low, high, niceStep(top, parts));
        }

        @Override
        public double at(final double value)
        {
            return low + Math.min(most, Math.max(0, value)) / most * (high - low);
        }

        List<Double> ticks()
        {
            final List<Double> ticks = new ArrayList<>();
            for (int i = 0; i * step <= most * (1 + 1e-9); i++)
            {
                ticks.add(i * step);
            }
            return ticks;
        }
    }

    /**
     * A linear scale from {@code least} at {@code low} to {@code most} at {@code high}.
     *
     * @param step between two ticks, which are its multiples.
     */
    record Between(double least, double most, double low, double high, double step) implements Scale
    {
        static Between of(final double least, final double most, final double low, final double high, final int parts)
        {
            final double top = Math.max(most, least + 1e-12);
            return new Between(least, top, low, high, niceStep(top - least, parts));
        }

        @Override
        public double at(final double value)
        {
            return low + (Math.min(most, Math.max(least, value)) - least) / (most - least) * (high - low);
        }

        boolean has(final double value)
        {
            return value >= least && value <= most;
        }

        List<Double> ticks()
        {
            final List<Double> ticks = new ArrayList<>();
            for (double i = StrictMath.ceil(least / step - 1e-9); i * step <= most + step * 1e-9; i++)
            {
                ticks.add(i * step + 0.0);
            }
            return ticks;
        }
    }

    /** A logarithmic scale from {@code least} at {@code low} to {@code most} at {@code high}. */
    record Logarithmic(double least, double most, double low, double high) implements Scale
    {
        /** A scale that has these values, which are positive, with some room. */
        static Logarithmic around(final double smallest, final double largest, final double low, final double high)
        {
            final double least = Math.max(smallest, 1e-9);
            return new Logarithmic(least, Math.max(largest, least * 1.25), low, high);
        }

        @Override
        public double at(final double value)
        {
            final double inside = Math.min(most, Math.max(least, value));
            return low + StrictMath.log(inside / least) / StrictMath.log(most / least) * (high - low);
        }

        /** Round values with at least this room between them: powers of ten first, then fives, then twos. */
        List<Double> ticks(final double room)
        {
            final List<Double> ticks = new ArrayList<>();
            final int first = (int)StrictMath.floor(StrictMath.log10(least));
            final int last = (int)StrictMath.ceil(StrictMath.log10(most));
            for (final int factor : DECADE)
            {
                for (int exponent = first; exponent <= last; exponent++)
                {
                    final double value = factor * StrictMath.pow(10, exponent);
                    if (value >= least * 0.999 && value <= most * 1.001 &&
                        ticks.stream().allMatch(other -> Math.abs(at(value) - at(other)) >= room))
                    {
                        ticks.add(value);
                    }
                }
            }
            ticks.sort(null);
            return ticks;
        }
    }
}
