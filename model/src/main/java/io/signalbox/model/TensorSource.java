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

    /** Widened exactly. */
    float[] vector(String name, int length);
}
