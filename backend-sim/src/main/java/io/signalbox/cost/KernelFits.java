// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Times of kernels as linear functions with coefficients that are not negative, one per cell of the measurements: a kernel
 * on a GPU in one data type. A cell's name is its parts with slashes between, such as {@code moe/DeepSeek-V3/R1/h200/...}.
 */
public final class KernelFits
{
    /**
     * @param coefficients microseconds per unit of each term, in the order that the kind of kernel has.
     * @param rows         measurements behind the fit.
     * @param errorPercent mean absolute error of the fit, relative to each measurement.
     */
    public record Cell(double[] coefficients, int rows, double errorPercent)
    {
    }

    private final Map<String, Cell> cells;

    public KernelFits(final Map<String, Cell> cells)
    {
        this.cells = Collections.unmodifiableMap(new TreeMap<>(cells));
    }

    /** Every cell by name, sorted. */
    public Map<String, Cell> cells()
    {
        return cells;
    }

    /** The coefficients of the first of the names that has a cell; {@code null}: none has. */
    double[] find(final List<String> names)
    {
        for (final String name : names)
        {
            final Cell cell = cells.get(name);
            if (cell != null)
            {
                return cell.coefficients();
            }
        }
        return null;
    }
}
