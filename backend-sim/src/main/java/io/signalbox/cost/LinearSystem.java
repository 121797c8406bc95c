// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

/** Linear equations with a symmetric, positive definite matrix. */
final class LinearSystem
{
    private LinearSystem()
    {
    }

    /**
     * Solves by Cholesky's decomposition.
     *
     * @param matrix its lower triangle is overwritten.
     */
    static double[] solveSymmetric(final double[][] matrix, final double[] right)
    {
        final int size = right.length;
        for (int i = 0; i < size; i++)
        {
            final double[] row = matrix[i];
            for (int j = 0; j <= i; j++)
            {
                final double[] other = matrix[j];
                double sum = row[j];
                for (int k = 0; k < j; k++)
                {
                    sum -= row[k] * other[k];
                }
                row[j] = i == j ? Math.sqrt(Math.max(sum, Double.MIN_NORMAL)) : sum / other[j];
            }
        }
        final double[] solution = right.clone();
        for (int i = 0; i < size; i++)
        {
            for (int k = 0; k < i; k++)
            {
                solution[i] -= matrix[i][k] * solution[k];
            }
            solution[i] /= matrix[i][i];
        }
        for (int i = size - 1; i >= 0; i--)
        {
            for (int k = i + 1; k < size; k++)
            {
                solution[i] -= matrix[k][i] * solution[k];
            }
            solution[i] /= matrix[i][i];
        }
        return solution;
    }
}
