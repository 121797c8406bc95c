// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.CudaDriver;

import java.nio.ByteBuffer;

/** The device that is checked: its context, current for the calling thread, and the kernels. */
final class CheckDevice implements AutoCloseable
{
    private final CudaDriver driver;
    private final CudaDriver.Context context;
    private final CudaDriver.KernelModule module;

    /** @param image a direct buffer with the kernels' fat binary. */
    CheckDevice(final CudaDriver driver, final int ordinal, final ByteBuffer image)
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

    CudaDriver driver()
    {
        return driver;
    }

    CudaDriver.KernelModule module()
    {
        return module;
    }

    @Override
    public void close()
    {
        driver.unload(module);
        driver.makeCurrent(null);
        driver.releasePrimaryContext(context);
    }
}
