// SPDX-License-Identifier: Apache-2.0
package io.signalbox.config;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A run description has the same bytes on every JVM. */
class DoubleTextTest
{
    @Test
    void shouldPrintOnEveryJvmWhatNewerOnesPrint()
    {
        assertEquals("5.960464477539063E-8", DoubleText.of(Math.scalb(1.0, -24)), "Java 17 has 5.9604644775390625E-8");
        assertEquals("2.0E-44", DoubleText.of(2e-44));
        assertEquals("4.9E-324", DoubleText.of(Double.MIN_VALUE));
        assertEquals("1.7976931348623157E308", DoubleText.of(Double.MAX_VALUE));
        assertEquals("0.001", DoubleText.of(0.001));
        assertEquals("9.999E-4", DoubleText.of(0.0009999));
        assertEquals("9999999.5", DoubleText.of(9999999.5));
        assertEquals("1.0E7", DoubleText.of(1e7));
        assertEquals("-8.0", DoubleText.of(-8));
        assertEquals("0.0", DoubleText.of(0));
        assertEquals("-0.0", DoubleText.of(-0.0));
        assertEquals("Infinity", DoubleText.of(Double.POSITIVE_INFINITY));
        assertEquals("NaN", DoubleText.of(Double.NaN));
    }

    @Property
    void everyTextIsReadBack(@ForAll final long bits)
    {
        final double value = Double.longBitsToDouble(bits);
        assertEquals(value, Double.parseDouble(DoubleText.of(value)));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_19)
    void shouldPrintAsThisJvmDoes()
    {
        final SplittableRandom random = new SplittableRandom(11);
        for (int i = 0; i < 100_000; i++)
        {
            final double value = i % 2 == 0 ? Double.longBitsToDouble(random.nextLong()) :
                Math.scalb(1.0, random.nextInt(-1074, 1024));
            assertEquals(Double.toString(value), DoubleText.of(value));
        }
    }
}
