// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.TestStrength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.math.BigDecimal;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DecimalsTest
{
    @Test
    void shouldPrintTimesExactly()
    {
        assertEquals("1234.567890", Decimals.milliseconds(1_234_567_890L).toPlainString());
        assertEquals("0.000001", Decimals.milliseconds(1L).toPlainString());
        assertEquals("3.000000001", Decimals.seconds(3_000_000_001L).toPlainString());
    }

    @ParameterizedTest
    @CsvSource({"0.1, 0.1", "0.30000000000000004, 0.30000000000000004", "2886.0, 2886", "100.0, 100", "-0.5, -0.5", "0.0, 0",
        "1e-6, 0.000001", "1e-7, 1E-7", "1.5e-9, 1.5E-9", "1e20, 100000000000000000000", "1e21, 1E+21", "2e-323, 2E-323",
        "4.9e-324, 5E-324", "1.7976931348623157e308, 1.7976931348623157E+308", "9007199254740993.0, 9007199254740992",
        "2.2250738585072014e-308, 2.2250738585072014E-308", "9.5367431640625e-7, 9.5367431640625E-7"})
    void shouldPrintADoubleInItsShortestForm(final double value, final String expected)
    {
        assertEquals(expected, Decimals.shortest(value));
    }

    @Test
    void shouldPrintDoublesThatReadBackToThemselves()
    {
        final SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < TestStrength.count(4_000, 200_000); i++)
        {
            final double any = Double.longBitsToDouble(random.nextLong());
            final double power = Math.scalb(1.0, random.nextInt(-1074, 1024));
            for (final double value : new double[]{any, power, random.nextDouble(), random.nextInt() / 1000.0})
            {
                if (Double.isFinite(value))
                {
                    final String text = Decimals.shortest(value);
                    assertEquals(value, Double.parseDouble(text), text);
                    assertTrue(digits(text) <= digits(Double.toString(value)), text);
                }
            }
        }
    }

    private static int digits(final String number)
    {
        return new BigDecimal(number).stripTrailingZeros().precision();
    }

    @Test
    void shouldGroupDigitsByThousands()
    {
        assertEquals("0", Decimals.grouped(0));
        assertEquals("999", Decimals.grouped(999));
        assertEquals("1,000", Decimals.grouped(1000));
        assertEquals("-123,456", Decimals.grouped(-123_456));
        assertEquals("12,345,678", Decimals.grouped(12_345_678));
    }

    @Test
    void shouldChooseTheUnitOfBytes()
    {
        assertEquals("1,023 bytes", Decimals.bytes(1023));
        assertEquals("1.0 KiB", Decimals.bytes(1024));
        assertEquals("1.5 MiB", Decimals.bytes(3 << 19));
    }

    @Test
    void shouldPrintSharesAsPercent()
    {
        assertEquals("44.54 %", Decimals.percent(0.445_44));
        assertEquals("0.00 %", Decimals.percent(0.0));
    }

    @Test
    void shouldKeepTheDigitsOfARealNumberThatMatter()
    {
        assertEquals("0", Decimals.plain(0.0));
        assertEquals("1204", Decimals.plain(1204.0));
        assertEquals("-0.5", Decimals.plain(-0.5));
        assertEquals("3056.699798", Decimals.plain(3056.699_798_2));
        assertEquals("0.000123", Decimals.plain(0.000_123_4));
        assertEquals("0.0000000123", Decimals.plain(1.234e-8));
        assertEquals("Infinity", Decimals.plain(Double.POSITIVE_INFINITY));
    }
}
