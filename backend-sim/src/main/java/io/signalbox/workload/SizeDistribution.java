// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import io.signalbox.config.DoubleText;
import io.signalbox.config.NumberText;
import io.signalbox.config.Setting;

import java.util.List;

/**
 * How turns and lengths are distributed; every drawn value is between {@code min} and {@code max}. The text form,
 * used on the command line and in the run description, is one of
 *
 * <pre>
 *   lognormal:MEDIAN,SIGMA,MIN,MAX     exp(normal) with this median, clamped
 *   zipf:EXPONENT,MIN,MAX              P(min + k) proportional to 1 / (k + 1)^exponent
 *   uniform:MIN,MAX                    every value alike
 *   fixed:VALUE
 * </pre>
 */
public sealed interface SizeDistribution
{
    int MAX_SIZE = 16_777_216;

    Setting<Double> MEDIAN = Setting.real("median", "", 200.0, 1.0, MAX_SIZE, "Median of a lognormal distribution.");
    Setting<Double> SIGMA = Setting.real("sigma", "", 1.0, 0.0, 10.0, "Deviation of the logarithm.");
    Setting<Double> EXPONENT = Setting.real("exponent", "", 1.2, 0.0, 20.0, "Exponent of a Zipf distribution.");
    Setting<Integer> MIN = Setting.integer("min", "", 1, 1, MAX_SIZE, "Smallest value that is drawn.");
    Setting<Integer> MAX = Setting.integer("max", "", MAX_SIZE, 1, MAX_SIZE, "Largest value that is drawn.");
    Setting<Integer> VALUE = Setting.integer("value", "", 1, 1, MAX_SIZE, "The only value that is drawn.");
    List<Setting<?>> SETTINGS = List.of(MEDIAN, SIGMA, EXPONENT, MIN, MAX, VALUE);

    int draw(SplitMix64 random);

    /** The text form; {@link #parse} reads it back. */
    String text();

    /**
     * Reads what {@link #text} wrote; {@code null} if the text has none of the forms.
     *
     * @throws ConfigException why values in one of the forms are not usable.
     */
    static SizeDistribution parse(final String text)
    {
        final int colon = text.indexOf(':');
        final String kind = colon < 0 ? text : text.substring(0, colon);
        final String[] arguments = colon < 0 ? new String[0] : text.substring(colon + 1).split(",", -1);
        if (kind.equals("lognormal") && arguments.length == 4)
        {
            return new Lognormal(NumberText.real(arguments[0]), NumberText.real(arguments[1]),
                NumberText.whole(arguments[2]), NumberText.whole(arguments[3]));
        }
        if (kind.equals("zipf") && arguments.length == 3)
        {
            return new Zipf(
                NumberText.real(arguments[0]), NumberText.whole(arguments[1]), NumberText.whole(arguments[2]));
        }
        if (kind.equals("uniform") && arguments.length == 2)
        {
            return new Uniform(NumberText.whole(arguments[0]), NumberText.whole(arguments[1]));
        }
        return kind.equals("fixed") && arguments.length == 1 ? new Fixed(NumberText.whole(arguments[0])) : null;
    }

    private static void checkRange(final int min, final int max)
    {
        MIN.check(min);
        MAX.check(max);
        if (max < min)
        {
            throw ConfigException.because(MIN.of(min), ", ", MAX.of(max), " is not a range within 1 to " + MAX_SIZE)
                .allowed("between 1 and " + MAX_SIZE).remedy("give a range of sizes");
        }
    }

    /** {@code exp(normal)}, rounded down and clamped. */
    record Lognormal(double median, double sigma, int min, int max) implements SizeDistribution
    {
        public Lognormal
        {
            checkRange(min, max);
            MEDIAN.check(median);
            SIGMA.check(sigma);
        }

        @Override
        public int draw(final SplitMix64 random)
        {
            final double value = median * StrictMath.exp(sigma * random.nextGaussian());
            return (int)Math.max(min, Math.min(max, value));
        }

        @Override
        public String text()
        {
            return "lognormal:" + DoubleText.of(median) + "," + DoubleText.of(sigma) + "," + min + "," + max;
        }
    }

    /** A few small values often, large ones rarely; drawn by inversion of the cumulative weights. */
    final class Zipf implements SizeDistribution
    {
        private final double exponent;
        private final int min;
        private final int max;
        private final double[] cumulative;

        public Zipf(final double exponent, final int min, final int max)
        {
            checkRange(min, max);
            this.exponent = EXPONENT.check(exponent);
            this.min = min;
            this.max = max;
            cumulative = new double[max - min + 1];
            double sum = 0.0;
            for (int k = 0; k < cumulative.length; k++)
            {
                sum += 1.0 / StrictMath.pow(k + 1.0, exponent);
                cumulative[k] = sum;
            }
        }

        @Override
        public int draw(final SplitMix64 random)
        {
            return min + random.nextWeighted(cumulative);
        }

        @Override
        public String text()
        {
            return "zipf:" + DoubleText.of(exponent) + "," + min + "," + max;
        }
    }

    /** Every value of a range alike. */
    record Uniform(int min, int max) implements SizeDistribution
    {
        public Uniform
        {
            checkRange(min, max);
        }

        @Override
        public int draw(final SplitMix64 random)
        {
            return min + random.nextInt(max - min + 1);
        }

        @Override
        public String text()
        {
            return "uniform:" + min + "," + max;
        }
    }

    /** Always the same value. */
    record Fixed(int value) implements SizeDistribution
    {
        public Fixed
        {
            VALUE.check(value);
        }

        @Override
        public int draw(final SplitMix64 random)
        {
            return value;
        }

        @Override
        public String text()
        {
            return "fixed:" + value;
        }
    }
}
