// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

/** Buffers that grow with the largest step and are kept. */
final class Buffers
{
    private Buffers()
    {
    }

    /** The buffer, or a larger one without its content. */
    static float[] atLeast(final float[] buffer, final int rows, final int width)
    {
        final int wanted = Math.multiplyExact(rows, width);
        return buffer.length >= wanted ? buffer : new float[wanted];
    }
}
