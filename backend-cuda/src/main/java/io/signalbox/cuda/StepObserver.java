// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.driver.CudaDriver;

/** Watches the steps of a rank as they are given to the device, on the rank's thread and inside its context. */
public interface StepObserver
{
    /** A step's kernels come next on the stream. */
    void beforeKernels(long step, CudaDriver.Stream compute);

    /** The stream was given a step's kernels. */
    void afterKernels(long step, CudaDriver.Stream compute);
}
