// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.model.WeightMatrix;

import java.util.List;

/** Receives the weights of a model, one tensor or a few equal ones at a time. */
interface WeightTarget
{
    /** Matrices of one size and type, one after the other. */
    DeviceMemory matrices(List<WeightMatrix> matrices);

    /** Float32; {@code null} for {@code null}. */
    DeviceMemory vector(float[] values);

    /** Bytes of such matrices. */
    static long bytes(final List<WeightMatrix> matrices)
    {
        final WeightMatrix first = matrices.get(0);
        return (long)first.count() * first.type().bytes() * matrices.size();
    }
}
