// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.model.PackedLayout;
import io.signalbox.model.WeightMatrix;

import java.util.List;

/** Receives the weights of a model, one tensor or a few equal ones at a time. */
interface WeightTarget
{
    /** Matrices of one size and type, one after the other, each weight in the type. */
    DeviceMemory matrices(List<WeightMatrix> matrices);

    /** The codes of such matrices, which are packed in one layout. Their scales follow. */
    DeviceMemory codes(List<WeightMatrix> matrices);

    /** The scales of these. */
    DeviceMemory scales(List<WeightMatrix> matrices);

    /** Float32; {@code null} for {@code null}. */
    DeviceMemory vector(float[] values);

    /** Bytes of such matrices. */
    static long bytes(final List<WeightMatrix> matrices)
    {
        final WeightMatrix first = matrices.get(0);
        return (long)first.count() * first.type().bytes() * matrices.size();
    }

    /** Bytes of their codes. */
    static long codeBytes(final List<WeightMatrix> matrices)
    {
        final WeightMatrix first = matrices.get(0);
        return (long)first.packed().layout().codeBytes(first.columns()) * first.rows() * matrices.size();
    }

    /** Bytes of their scales. */
    static long scaleBytes(final List<WeightMatrix> matrices)
    {
        final WeightMatrix first = matrices.get(0);
        final PackedLayout layout = first.packed().layout();
        return (long)layout.blocksDown(first.rows()) * layout.scaleBytes(first.columns()) * matrices.size();
    }
}
