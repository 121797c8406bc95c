// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;

class StudentTTest
{
    @ParameterizedTest
    @CsvSource({"1, 12.7062", "2, 4.3027", "4, 2.7764", "9, 2.2622", "30, 2.0423", "31, 2.0395", "40, 2.0211", "60, 2.0003",
        "120, 1.9799", "100000, 1.9600"})
    void shouldBeThatOfTheTables(final int degrees, final double quantile)
    {
        assertEquals(quantile, StudentT.quantile975(degrees), 0.00005);
    }
}
