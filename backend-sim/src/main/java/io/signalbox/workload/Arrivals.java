// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import io.signalbox.config.DoubleText;
import io.signalbox.config.NumberText;
import io.signalbox.config.Setting;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

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

    Setting<Double> RATE = Setting.real("rate", "conversations per second", 8.0, 1e-6, 1e9, "Mean rate of arrivals.");
    Setting<Double> COEFFICIENT_OF_VARIATION = Setting.real("coefficientOfVariation", "", 1.0, 0.1, 30.0,
        "Deviation of the gaps of bursty arrivals by their mean; 1 is Poisson.");
    List<Setting<?>> SETTINGS = List.of(RATE, COEFFICIENT_OF_VARIATION);

    /** Start times of {@code count} conversations, rising, in nanoseconds since the start of the run. */
    long[] draw(int count, SplitMix64 random);

    /** Begins the text of arrivals that a trace replays; the path of the trace follows. */
    String REPLAYED = "replayed:";

    /** The text form; {@link #parse} reads it back. */
    String text();

    /**
     * Reads what {@link #text} wrote; {@code null} if the text has none of the forms.
     *
     * @throws ConfigException why values in one of the forms are not usable, or the trace is not.
     */
    static Arrivals parse(final String text)
    {
        final int colon = text.indexOf(':');
        final String kind = colon < 0 ? text : text.substring(0, colon);
        final String rest = colon < 0 ? "" : text.substring(colon + 1);
        final String[] arguments = rest.split(",", -1);
        if (kind.equals("poisson") && arguments.length == 1)
        {
            return new Poisson(NumberText.real(arguments[0]));
        }
        if (kind.equals("bursty") && arguments.length == 2)
        {
            return new Bursty(NumberText.real(arguments[0]), NumberText.real(arguments[1]));
        }
        return kind.equals("replayed") && !rest.isEmpty() ? Replayed.of(path(rest)) : null;
    }

    private static Path path(final String file)
    {
        try
        {
            return Path.of(file);
        }
        catch (final InvalidPathException e)
        {
            throw new ConfigException("it names no path of this machine and locale");
        }
    }

    private static long after(final long nanos, final double gapNanos, final int index, final Arrivals arrivals)
    {
        final long gap = (long)gapNanos;
        if (VirtualTime.isPast(nanos, gap))
        {
            throw VirtualTime.past("give a higher rate or fewer conversations",
                "with ", GeneratedWorkloadConfig.ARRIVALS.of(arrivals), " conversation " + (index + 1) + " would start");
        }
        return nanos + gap;
    }

    /** Memoryless arrivals. */
    record Poisson(double ratePerSecond) implements Arrivals
    {
        public Poisson
        {
            RATE.check(ratePerSecond);
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
            return "poisson:" + DoubleText.of(ratePerSecond);
        }
    }

    /** Arrivals in clumps: gamma distributed gaps, whose coefficient of variation is above that of Poisson. */
    record Bursty(double ratePerSecond, double coefficientOfVariation) implements Arrivals
    {
        public Bursty
        {
            RATE.check(ratePerSecond);
            COEFFICIENT_OF_VARIATION.check(coefficientOfVariation);
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
            return "bursty:" + DoubleText.of(ratePerSecond) + "," + DoubleText.of(coefficientOfVariation);
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
                throw ConfigException.because("the trace " + file + " has " + timesNanos.length + " arrivals and " + count +
                        " ", GeneratedWorkloadConfig.CONVERSATIONS.named(), " are wanted")
                    .allowed("at most " + timesNanos.length).remedy("ask for fewer or give a longer trace");
            }
            return Arrays.copyOf(timesNanos, count);
        }

        @Override
        public String text()
        {
            return REPLAYED + file;
        }
    }
}
