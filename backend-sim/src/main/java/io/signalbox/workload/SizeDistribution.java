// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;

/**
 * How turns and lengths are distributed; every drawn value is between {@code min} and {@code max}. The text form,
 * used on the command line and in the run description, is one of
 *
 * <pre>
 *   lognormal:MEDIAN,SIGMA,MIN,MAX     exp(normal) with this median, clamped
 *   zipf:EXPONENT,MIN,MAX              P(min + k) proportional to 1 / (k + 1)^exponent
 *   fixed:VALUE
 * </pre>
 */
public sealed interface SizeDistribution
{
    int MAX_SIZE = 16_777_216;

    int draw(SplitMix64 random);

    /** The text form; {@link #of} reads it back. */
    String text();

    /** @param option what the text is for, named in the message when it is wrong. */
    static SizeDistribution of(final String option, final String text)
    {
        final int colon = text.indexOf(':');
        final String kind = colon < 0 ? text : text.substring(0, colon);
        final String[] arguments = colon < 0 ? new String[0] : text.substring(colon + 1).split(",", -1);
        try
        {
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
            if (kind.equals("fixed") && arguments.length == 1)
            {
                return new Fixed(NumberText.whole(arguments[0]));
            }
        }
        catch (final ConfigException e)
        {
            throw new ConfigException(option + "=" + text + " is not usable (" + e.getMessage() + "); " + remedy());
        }
        throw new ConfigException(option + "=" + text + " is not a distribution; " + remedy());
    }

    private static String remedy()
    {
        return "give lognormal:MEDIAN,SIGMA,MIN,MAX or zipf:EXPONENT,MIN,MAX or fixed:VALUE.";
    }

    private static void checkRange(final int min, final int max)
    {
        if (min < 1 || max < min || max > MAX_SIZE)
        {
            throw new ConfigException("min=" + min + ", max=" + max + " is not a range within 1 to " + MAX_SIZE);
        }
    }

    /** {@code exp(normal)}, rounded down and clamped. */
    record Lognormal(double median, double sigma, int min, int max) implements SizeDistribution
    {
        public Lognormal
        {
            checkRange(min, max);
            if (!(median >= 1.0 && median <= MAX_SIZE))
            {
                throw new ConfigException("median=" + median + " is not between 1 and " + MAX_SIZE);
            }
            if (!(sigma >= 0.0 && sigma <= 10.0))
            {
                throw new ConfigException("sigma=" + sigma + " is not between 0 and 10");
            }
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
            return "lognormal:" + median + "," + sigma + "," + min + "," + max;
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
            if (!(exponent >= 0.0 && exponent <= 20.0))
            {
                throw new ConfigException("exponent=" + exponent + " is not between 0 and 20");
            }
            this.exponent = exponent;
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
            return "zipf:" + exponent + "," + min + "," + max;
        }
    }

    /** Always the same value. */
    record Fixed(int value) implements SizeDistribution
    {
        public Fixed
        {
            checkRange(value, value);
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
