// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import java.util.Arrays;

/** Solves normal equations of a few terms such that no term is negative: the most negative one is left out, in turn. */
public final class NonNegativeLeastSquares
{
    /** A pivot below this share of its diagonal says that the terms before it determine the term. */
    private static final double SINGULAR = 1e-9;

    private NonNegativeLeastSquares()
    {
    }

    /**
     * @param products symmetric sums of products of the terms.
     * @param sums     sums of products of term and value.
     * @return one factor per term; 0 if it is left out.
     */
    public static double[] solve(final double[][] products, final double[] sums)
    {
        final boolean[] used = new boolean[sums.length];
        Arrays.fill(used, true);
        while (true)
        {
            final double[] factors = solve(products, sums, used);
            int lowest = 0;
            for (int i = 1; i < factors.length; i++)
            {
                lowest = factors[i] < factors[lowest] ? i : lowest;
            }
            if (factors[lowest] >= 0)
            {
                return factors;
            }
            used[lowest] = false;
        }
    }

    /** Gaussian elimination over the used terms; a term that others determine is left out. */
    private static double[] solve(final double[][] products, final double[] sums, final boolean[] used)
    {
        final int terms = sums.length;
        final double[][] rows = new double[terms][];
        for (int i = 0; i < terms; i++)
        {
            rows[i] = Arrays.copyOf(products[i], terms + 1);
            rows[i][terms] = sums[i];
        }
        final boolean[] solved = new boolean[terms];
        for (int pivot = 0; pivot < terms; pivot++)
        {
            solved[pivot] = used[pivot] && rows[pivot][pivot] > SINGULAR * products[pivot][pivot];
            for (int row = 0; solved[pivot] && row < terms; row++)
            {
                if (row != pivot)
                {
                    final double share = rows[row][pivot] / rows[pivot][pivot];
                    for (int column = pivot; column <= terms; column++)
                    {
                        rows[row][column] -= share * rows[pivot][column];
                    }
                }
            }
        }
        final double[] factors = new double[terms];
        for (int i = 0; i < terms; i++)
        {
            factors[i] = solved[i] ? rows[i][terms] / rows[i][i] : 0.0;
        }
        return factors;
    }
}
