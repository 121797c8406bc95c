// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import java.nio.file.Path;

/** Questions to the CUDA driver before there is a context: whether it is there, and which GPUs it offers. */
public interface CudaDevices
{
    /**
     * Loads the native binding and with it the driver's library.
     *
     * @throws LinkageError if one of them is not there, or lacks a function that is called.
     */
    void load();

    /** The driver's library if it was taken from a directory that the loader does not search, otherwise null. */
    default Path library()
    {
        return null;
    }

    /** @throws CudaException also if there is a driver and no GPU. */
    void initialise();

    /** The newest CUDA version that the driver supports, 12060 for 12.6. */
    int version();

    int deviceCount();

    CudaDevice device(int ordinal);
}
