// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Numbers of options, refused in words where they are none. */
final class NumberConverter
{
    private NumberConverter()
    {
    }

    /** A number that fits 32 bits. */
    static final class WholeInt implements ITypeConverter<Integer>
    {
        @Override
        public Integer convert(final String value)
        {
            try
            {
                return Integer.valueOf(value);
            }
            catch (final NumberFormatException e)
            {
                throw new TypeConversionException(
                    "'" + value + "' is not a whole number between " + Integer.MIN_VALUE + " and " + Integer.MAX_VALUE);
            }
        }
    }

    /** A number that fits 64 bits. */
    static final class WholeLong implements ITypeConverter<Long>
    {
        @Override
        public Long convert(final String value)
        {
            try
            {
                return Long.valueOf(value);
            }
            catch (final NumberFormatException e)
            {
                throw new TypeConversionException("'" + value + "' is not a whole number of 64 bits");
            }
        }
    }

    /** A decimal number. */
    static final class Real implements ITypeConverter<Double>
    {
        @Override
        public Double convert(final String value)
        {
            try
            {
                return Double.valueOf(value);
            }
            catch (final NumberFormatException e)
            {
                throw new TypeConversionException("'" + value + "' is not a number");
            }
        }
    }
}
