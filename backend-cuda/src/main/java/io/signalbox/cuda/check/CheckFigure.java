// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

/**
 * One measured or counted number.
 *
 * @param unit empty for counts.
 */
public record CheckFigure(String name, double value, String unit)
{
}
