// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.workload.NumberText;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.util.function.Supplier;

/** Numbers of options by the grammar of {@link NumberText}, refused in a sentence if they are malformed. */
final class NumberConverter
{
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

    /** A number that fits 32 bits. */
    static final class WholeInt implements ITypeConverter<Integer>
    {
        @Override
        public Integer convert(final String value)
        {
            return converted(() -> NumberText.whole(value));
        }
    }

    /** A number that fits 64 bits. */
    static final class WholeLong implements ITypeConverter<Long>
    {
        @Override
        public Long convert(final String value)
        {
            return converted(() -> NumberText.whole(value, Long.MIN_VALUE, Long.MAX_VALUE));
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
