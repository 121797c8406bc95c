// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaException;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.kernel.KernelImage;

/** The device that is checked: its context, current for the calling thread, and the kernels. */
final class CheckDevice implements AutoCloseable
{
    private static final int WORD_BYTES = 64;

    private final CudaDriver driver;
    private final CudaDriver.Context context;
    private final CudaDriver.KernelModule module;

    CheckDevice(final CudaDriver driver, final int ordinal)
    {
        this.driver = driver;
        context = driver.retainPrimaryContext(ordinal);
        try
        {
            driver.makeCurrent(context);
            module = driver.loadModule(KernelImage.load().bytes());
        }
        catch (final RuntimeException e)
        {
            driver.releasePrimaryContext(context);
            throw e;
        }
    }

    /** For the calling thread, whatever context it had. */
    void makeCurrent()
    {
        driver.makeCurrent(context);
    }

    CudaDriver driver()
    {
        return driver;
    }

    CudaDriver.KernelModule module()
    {
        return module;
    }

    /** Whether streams can write words here; if not, events signal completion. */
    boolean writesWords()
    {
        try (DriverResources scratch = new DriverResources(driver))
        {
            driver.writeWord(scratch.pinned(WORD_BYTES), 1, scratch.stream("word"));
            return true;
        }
        catch (final CudaException e)
        {
            if (e.code() != CudaException.NOT_SUPPORTED)
            {
                throw e;
            }
            return false;
        }
    }

    @Override
    public void close()
    {
        driver.unload(module);
        driver.makeCurrent(null);
        driver.releasePrimaryContext(context);
    }
}
