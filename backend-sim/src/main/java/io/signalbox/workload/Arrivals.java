// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * When conversations start. The text form, used on the command line and in the run description, is one of
 *
 * <pre>
 *   poisson:RATE             exponential gaps, RATE conversations per second
 *   bursty:RATE,CV           gamma gaps with the same mean and coefficient of variation CV; CV 1 is Poisson
 *   replayed:FILE            the timestamps of a Mooncake trace, in file order
 * </pre>
 */
public sealed interface Arrivals
{
    long NANOS_PER_SECOND = 1_000_000_000L;

    /** Start times of {@code count} conversations, rising, in nanoseconds since the start of the run. */
    long[] draw(int count, SplitMix64 random);

    /** The text form; {@link #of} reads it back. */
    String text();

    /** @param option what the text is for, named in the message when it is wrong. */
    static Arrivals of(final String option, final String text)
    {
        final int colon = text.indexOf(':');
        final String kind = colon < 0 ? text : text.substring(0, colon);
        final String rest = colon < 0 ? "" : text.substring(colon + 1);
        final String[] arguments = rest.split(",", -1);
        try
        {
            if (kind.equals("poisson") && arguments.length == 1)
            {
                return new Poisson(NumberText.real(arguments[0]));
            }
            if (kind.equals("bursty") && arguments.length == 2)
            {
                return new Bursty(NumberText.real(arguments[0]), NumberText.real(arguments[1]));
            }
        }
        catch (final ConfigException e)
        {
            throw new ConfigException(option + "=" + text + " is not usable (" + e.getMessage() + "); " + remedy());
        }
        if (kind.equals("replayed") && !rest.isEmpty())
        {
            return Replayed.of(path(option, text, rest));
        }
        throw new ConfigException(option + "=" + text + " is not an arrival process; " + remedy());
    }

    private static Path path(final String option, final String text, final String file)
    {
        try
        {
            return Path.of(file);
        }
        catch (final InvalidPathException e)
        {
            throw new ConfigException(option + "=" + text + " names no path of this machine and locale; " + remedy());
        }
    }

    private static String remedy()
    {
        return "give poisson:RATE or bursty:RATE,CV or replayed:FILE, with RATE in conversations per second.";
    }

    private static double checkRate(final double rate)
    {
        if (!(rate >= 1e-6 && rate <= 1e9))
        {
            throw new ConfigException("rate " + rate + " is not between 1e-6 and 1e9 per second");
        }
        return rate;
    }

    /** @param gapNanos rounded down; one that no long holds is past the limit as well. */
    private static long after(final long nanos, final double gapNanos, final int index, final Arrivals arrivals)
    {
        final long gap = (long)gapNanos;
        if (VirtualTime.isPast(nanos, gap))
        {
            throw VirtualTime.past("with arrivals=" + arrivals.text() + " conversation " + (index + 1) + " would start",
                "give a higher rate or fewer conversations");
        }
        return nanos + gap;
    }

    /** Memoryless arrivals. */
    record Poisson(double ratePerSecond) implements Arrivals
    {
        public Poisson
        {
            checkRate(ratePerSecond);
        }

        @Override
        public long[] draw(final int count, final SplitMix64 random)
        {
            final long[] times = new long[count];
            long now = 0;
            for (int i = 0; i < count; i++)
            {
                now = after(now, random.nextExponential() / ratePerSecond * NANOS_PER_SECOND, i, this);
                times[i] = now;
            }
            return times;
        }

        @Override
        public String text()
        {
            return "poisson:" + ratePerSecond;
        }
    }

    /** Arrivals in clumps: gamma distributed gaps, whose coefficient of variation is above that of Poisson. */
    record Bursty(double ratePerSecond, double coefficientOfVariation) implements Arrivals
    {
        public Bursty
        {
            checkRate(ratePerSecond);
            if (!(coefficientOfVariation >= 0.1 && coefficientOfVariation <= 30.0))
            {
                throw new ConfigException(
                    "coefficient of variation " + coefficientOfVariation + " is not between 0.1 and 30");
            }
        }

        @Override
        public long[] draw(final int count, final SplitMix64 random)
        {
            final double shape = 1.0 / (coefficientOfVariation * coefficientOfVariation);
            final long[] times = new long[count];
            long now = 0;
            for (int i = 0; i < count; i++)
            {
                now = after(now, random.nextGamma(shape) / shape / ratePerSecond * NANOS_PER_SECOND, i, this);
                times[i] = now;
            }
            return times;
        }

        @Override
        public String text()
        {
            return "bursty:" + ratePerSecond + "," + coefficientOfVariation;
        }
    }

    /** The arrival times of a recorded trace. */
    final class Replayed implements Arrivals
    {
        private final Path file;
        private final long[] timesNanos;

        private Replayed(final Path file, final long[] timesNanos)
        {
            this.file = file;
            this.timesNanos = timesNanos;
        }

        public static Replayed of(final Path traceFile)
        {
            final long[] times = MooncakeTrace.read(traceFile).requests().stream()
                .mapToLong(WorkloadRequest::arrivalNanos).sorted().toArray();
            return new Replayed(traceFile, times);
        }

        @Override
        public long[] draw(final int count, final SplitMix64 random)
        {
            if (count > timesNanos.length)
            {
                throw new ConfigException("the trace " + file + " has " + timesNanos.length + " arrivals and " + count +
                    " conversations are wanted; ask for fewer or give a longer trace.");
            }
            return Arrays.copyOf(timesNanos, count);
        }

        @Override
        public String text()
        {
            return "replayed:" + file;
        }
    }
}
