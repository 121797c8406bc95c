// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.KernelArguments;

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

    /** A launch that can be repeated. */
    CudaDriver.Launch prepare(
        final String kernel, final int blocks, final int threadsPerBlock, final KernelArguments arguments)
    {
        return driver.prepareLaunch(driver.kernel(module, kernel), blocks, threadsPerBlock, 0, arguments);
    }

    @Override
    public void close()
    {
        driver.unload(module);
        driver.makeCurrent(null);
        driver.releasePrimaryContext(context);
    }
}
