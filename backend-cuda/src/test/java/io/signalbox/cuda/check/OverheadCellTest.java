// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class OverheadCellTest
{
    @ParameterizedTest
    @CsvSource({"32, 32/32@13.2", "32@0, 32/32@0", "1/8192@1.44, 1/8192@1.44", "256/8192@1000, 256/8192@1000",
        "7/8@20.70, 7/8@20.7"})
    void shouldReadWhatItPrints(final String text, final String label)
    {
        final OverheadCell cell = OverheadCell.parse(text);

        assertEquals(label, cell.label());
        assertEquals(cell, OverheadCell.parse(label));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "32@", "/8", "32/@1", "-1", "32@1e3", "32@13.2ms", "99999999999"})
    void shouldRefuseAnotherForm(final String text)
    {
        final ConfigException refusal = assertThrows(ConfigException.class, () -> OverheadCell.parse(text));

        assertTrue(refusal.getMessage().contains("'" + text + "' is not of the form"), refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"0, batch=0", "8193, batch=8193", "32/31, maxTokens=31", "32/8193, maxTokens=8193", "32@1000.5, stepMillis"})
    void shouldRefuseWhatCannotBe(final String text, final String named)
    {
        final ConfigException refusal = assertThrows(ConfigException.class, () -> OverheadCell.parse(text));

        assertTrue(refusal.getMessage().startsWith(named), refusal.getMessage());
    }

    @Test
    void shouldKeepBatchAndBuffersOfACellThatLastsLonger()
    {
        assertEquals(new OverheadCell(1, 8192, 5.0), OverheadCell.parse("1/8192@1.44").lasting(5.0));
    }
}
