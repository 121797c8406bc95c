// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.printing;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class DecimalsTest
{
    @Test
    void shouldPrintTimesExactly()
    {
        assertEquals("1234.567890", Decimals.milliseconds(1_234_567_890L).toPlainString());
        assertEquals("0.000001", Decimals.milliseconds(1L).toPlainString());
        assertEquals("1.500000", Decimals.milliseconds(1_499_999.6).toPlainString());
        assertEquals("3.000000001", Decimals.seconds(3_000_000_001L).toPlainString());
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
