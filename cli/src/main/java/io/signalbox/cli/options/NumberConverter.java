// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.config.NumberText;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Numbers of options by the grammar of {@link NumberText}, refused in a sentence if they are malformed. */
final class NumberConverter
{
    private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]+");

    private NumberConverter()
    {
    }

    private static <T> T converted(final Supplier<T> parsing)
    {
        try
        {
            return parsing.get();
        }
        catch (final ConfigException e)
        {
            throw new TypeConversionException(e.getMessage());
        }
    }

    /** The bounds of 32 or 64 bits differ from the range of the option, which is checked only after the conversion. */
    private static <T> T inRange(final String value, final Supplier<T> parsing)
    {
        try
        {
            return converted(parsing);
        }
        catch (final TypeConversionException e)
        {
            if (!WHOLE.matcher(value).matches())
            {
                throw e;
            }
            final boolean isNegative = value.startsWith("-");
            throw new TypeConversionException("'" + value + "' is too " + (isNegative ? "small" : "large") + "; give a " +
                (isNegative ? "larger" : "smaller") + " number");
        }
    }

    /** A number that fits 32 bits. */
    static final class WholeInt implements ITypeConverter<Integer>
    {
        @Override
        public Integer convert(final String value)
        {
            return inRange(value, () -> NumberText.whole(value));
        }
    }

    /** A number that fits 64 bits. */
    static final class WholeLong implements ITypeConverter<Long>
    {
        @Override
        public Long convert(final String value)
        {
            return inRange(value, () -> NumberText.whole(value, Long.MIN_VALUE, Long.MAX_VALUE));
        }
    }

    /** A decimal number. */
    static final class Real implements ITypeConverter<Double>
    {
        @Override
        public Double convert(final String value)
        {
            return converted(() -> NumberText.real(value));
        }
    }
}
