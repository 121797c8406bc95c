// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

/**
 * One measured or counted number.
 *
 * @param name  the figure
 * @param value its value; {@code null} if it is not finite
 * @param unit  its unit; empty for counts
 */
public record CheckFigure(String name, double value, String unit)
{
}
