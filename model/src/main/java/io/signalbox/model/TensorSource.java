// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.List;

/** Tensors by the names of Hugging Face's checkpoints. */
interface TensorSource
{
    boolean has(String name);

    /** @throws ModelException if there is none, or it has another shape or type. */
    WeightMatrix matrix(String name, int rows, int columns);

    /** The matrices of a tensor [count, rows, columns]. */
    List<MappedMatrix> matrices(String name, int count, int rows, int columns);

    /** The matrices of a tensor [count, inputs, outputs], as they are stored: each row has the weights of one input. */
    default List<? extends WeightMatrix> inputMatrices(
        final String name, final int count, final int inputs, final int outputs)
    {
        return matrices(name, count, inputs, outputs);
    }

    /** All values of a tensor of few values, row-major, widened exactly. */
    float[] vector(String name, int... shape);
}
