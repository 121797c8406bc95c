// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.calibrate;

import io.signalbox.cuda.CudaBackend;

/** A calibration that knows a GPU. */
final class BadCalibration
{
    private final CudaBackend other;

    BadCalibration(final CudaBackend other)
    {
        this.other = other;
    }

    boolean same(final Object object)
    {
        return other.equals(object);
    }
}
