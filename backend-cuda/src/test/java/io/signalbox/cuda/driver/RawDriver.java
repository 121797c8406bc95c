// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;

/** Calls of JCuda that the binding does not make, and that it makes with other flags: what the driver answers to them. */
final class RawDriver
{
    private RawDriver()
    {
    }

    /** An attribute of device 0. */
    static int attribute(final int attribute)
    {
        final CUdevice device = new CUdevice();
        JCudaDriver.cuDeviceGet(device, 0);
        final int[] value = new int[1];
        JCudaDriver.cuDeviceGetAttribute(value, attribute, device);
        return value[0];
    }

    /** Waits for all work of the current context. */
    static void synchronizeContext()
    {
        JCudaDriver.cuCtxSynchronize();
    }
}
