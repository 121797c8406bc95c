// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

/** Linear layers on a team of threads: a task multiplies some rows of a matrix with every token, and adds their bias. */
final class LinearStages
{
    private final WorkTeam team;
    private final Precision precision;
    private final RowProducts[] products;

    LinearStages(final WorkTeam team, final Precision precision)
    {
        this.team = team;
        this.precision = precision;
        products = new RowProducts[team.size()];
        for (int worker = 0; worker < products.length; worker++)
        {
            products[worker] = RowProducts.fastest();
        }
    }

    WorkTeam team()
    {
        return team;
    }

    Precision precision()
    {
        return precision;
    }

    RowProducts products(final int worker)
    {
        return products[worker];
    }

    /** Multiplies a matrix with {@code count} vectors of {@code in}, one after the other, adds its bias, and rounds once. */
    void run(final Matrix matrix, final float[] in, final int count, final float[] out)
    {
        run(matrix, in, count, out, precision);
    }

    /** The same with another rounding. */
    void run(final Matrix matrix, final float[] in, final int count, final float[] out, final Precision rounding)
    {
        team.run(matrix.tasks(), (task, worker) ->
            rows(matrix, task, products[worker], in, count, out, rounding));
    }

    /** Several matrices in one stage, with the same inputs. */
    void runAll(final float[] in, final int count, final Matrix[] matrices, final float[][] outs)
    {
        int tasks = 0;
        for (final Matrix matrix : matrices)
        {
            tasks += matrix.tasks();
        }
        team.run(tasks, (task, worker) ->
        {
            int at = 0;
            int left = task;
            while (left >= matrices[at].tasks())
            {
                left -= matrices[at++].tasks();
            }
            rows(matrices[at], left, products[worker], in, count, outs[at], precision);
        });
    }

    private static void rows(
        final Matrix matrix, final int task, final RowProducts products, final float[] in, final int count,
        final float[] out, final Precision rounding)
    {
        final int from = task * matrix.taskRows();
        final int rows = Math.min(matrix.taskRows(), matrix.rows() - from);
        matrix.multiply(products, from, rows, in, null, 0, count, out);
        for (int i = 0; i < count; i++)
        {
            matrix.addBias(from, rows, out, i * matrix.rows() + from);
            rounding.round(out, i * matrix.rows() + from, rows);
        }
    }
}
