// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.driver.CudaDriver;

import java.nio.ByteBuffer;

/** What the ranks on one device share: its primary context and the kernels. */
final class SharedDevice implements AutoCloseable
{
    private final CudaDriver driver;
    private final CudaDriver.Context context;
    private final CudaDriver.KernelModule module;

    /**
     * Makes the context current for the calling thread.
     *
     * @param image a direct buffer with the kernels' fat binary.
     */
    SharedDevice(final CudaDriver driver, final int ordinal, final ByteBuffer image)
    {
        this.driver = driver;
        context = driver.retainPrimaryContext(ordinal);
        try
        {
            driver.makeCurrent(context);
            module = driver.loadModule(image);
        }
        catch (final RuntimeException e)
        {
            driver.releasePrimaryContext(context);
            throw e;
        }
    }

    /** For the calling thread, which then may use the driver. */
    void makeCurrent()
    {
        driver.makeCurrent(context);
    }

    CudaDriver.KernelModule module()
    {
        return module;
    }

    /** After the last rank on the device is closed. */
    @Override
    public void close()
    {
        driver.makeCurrent(context);
        driver.unload(module);
        driver.makeCurrent(null);
        driver.releasePrimaryContext(context);
    }
}
