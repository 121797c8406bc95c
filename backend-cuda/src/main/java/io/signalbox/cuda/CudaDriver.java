// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

/**
 * The calls of the CUDA driver that this module makes. One implementation goes through JCuda; tests bring others, so
 * that a machine without a GPU can test what happens on machines with one. Results are the driver's own codes, 0 for
 * success.
 */
interface CudaDriver
{
    int SUCCESS = 0;
    int NO_DEVICE = 100;

    /**
     * Loads the native binding and with it the driver's library.
     *
     * @throws LinkageError when one of them is not there.
     */
    void load();

    int initialise();

    /** @param version receives the version that the driver supports, 12060 for 12.6. */
    int version(int[] version);

    int deviceCount(int[] count);

    CudaDevice device(int ordinal);

    /** The driver's name for a result code, {@code CUDA_ERROR_NO_DEVICE} for 100. */
    String nameOf(int result);
}
