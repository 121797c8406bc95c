// SPDX-License-Identifier: Apache-2.0
package io.signalbox.image;

import io.signalbox.saved.SavedFields;
import io.signalbox.saved.UnfitImageException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Fields that are written and read again; fields that an older version did not have. */
final class SavedFieldsTest
{
    private static byte[] written(final Consumer<SavedFields> fields)
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        fields.accept(new FieldWriter(bytes));
        return bytes.toByteArray();
    }

    private static FieldReader reader(final byte[] bytes)
    {
        return new FieldReader(new ByteArrayInputStream(bytes), bytes.length);
    }

    @Property(tries = 300)
    void shouldReadWhatWasWritten(@ForAll final long[] numbers, @ForAll final String text, @ForAll final boolean flag)
    {
        final byte[] bytes = written(fields -> fields.record(() ->
        {
            fields.numbers(numbers, fields.count(numbers.length));
            fields.record(() -> fields.text(text));
            fields.text(null);
            fields.flag(flag);
            fields.constant(RoundingMode.HALF_EVEN, RoundingMode.values());
        }));

        final FieldReader fields = reader(bytes);
        fields.record(() ->
        {
            assertArrayEquals(numbers, fields.numbers(new long[0], fields.count(0)));
            fields.record(() -> assertEquals(
                new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8), fields.text("")));
            assertNull(fields.text(""));
            assertEquals(flag, fields.flag(!flag));
            assertSame(RoundingMode.HALF_EVEN, fields.constant(RoundingMode.UP, RoundingMode.values()));
            assertEquals(0, fields.left());
        });
    }

    @Test
    void shouldKeepTheValueOfAFieldThatAnOlderVersionDidNotHave()
    {
        final byte[] bytes = written(fields ->
        {
            fields.record(() -> fields.record(() -> fields.number(1)));
            fields.record(() -> fields.number(2));
        });

        final FieldReader fields = reader(bytes);
        fields.record(() ->
        {
            fields.record(() ->
            {
                assertEquals(1, fields.number(7));
                assertEquals(8, fields.number(8));
                assertEquals("nine", fields.text("nine"));
                assertEquals(0, fields.count(0));
            });
            fields.record(() -> assertEquals(10, fields.int32(10)));
            assertSame(RoundingMode.UP, fields.constant(RoundingMode.UP, RoundingMode.values()));
        });
        fields.record(() -> assertEquals(2, fields.number(7)));
    }

    @Test
    void shouldRefuseNumbersAndNamesOutOfTheirRange()
    {
        final byte[] bytes = written(fields -> fields.record(() ->
        {
            fields.number(1L << 40);
            fields.number(11);
            fields.number(100);
            fields.text("SIDEWAYS");
        }));

        final FieldReader fields = reader(bytes);
        fields.record(() ->
        {
            assertRefused("it has the number 1099511627776 in a place of 32 bits", () -> fields.int32(0));
            assertRefused("it has the number 11 and not one from 0 to 10", () -> fields.int32(0, 0, 10));
            assertRefused("it has a list of 100 elements in 9 bytes", () -> fields.count(0));
            assertRefused("it has SIDEWAYS, which is none of [UP, DOWN, CEILING, FLOOR, HALF_UP, HALF_DOWN, HALF_EVEN, " +
                "UNNECESSARY]", () -> fields.constant(RoundingMode.UP, RoundingMode.values()));
        });
    }

    private static void assertRefused(final String reason, final Runnable reading)
    {
        assertEquals(reason, assertThrows(UnfitImageException.class, reading::run).getMessage());
    }
}
