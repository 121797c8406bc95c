// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.driver.CudaDriver;
import org.agrona.CloseHelper;

import java.nio.ByteBuffer;

/** What the ranks on one device share: its primary context, the kernels, the weights. */
final class SharedDevice implements AutoCloseable
{
    private final CudaDriver driver;
    private final CudaDriver.Context context;
    private final CudaDriver.KernelModule module;
    private final SeededWeights weights;

    /**
     * Makes the context current for the calling thread.
     *
     * @param image a direct buffer with the kernels' fat binary.
     */
    SharedDevice(
        final CudaDriver driver, final int ordinal, final ByteBuffer image, final CudaBackendConfig config)
    {
        this.driver = driver;
        context = driver.retainPrimaryContext(ordinal);
        CudaDriver.KernelModule loaded = null;
        try
        {
            driver.makeCurrent(context);
            loaded = driver.loadModule(image);
            weights = new SeededWeights(driver, config.router(), config.streamedBytesPerLayer());
        }
        catch (final RuntimeException e)
        {
            if (loaded != null)
            {
                driver.unload(loaded);
            }
            driver.releasePrimaryContext(context);
            throw e;
        }
        module = loaded;
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

    SeededWeights weights()
    {
        return weights;
    }

    /** After the last rank on the device is closed. A broken context frees nothing piece by piece; its release does. */
    @Override
    public void close()
    {
        ignoringCudaErrors(this::makeCurrent);
        ignoringCudaErrors(weights::close);
        ignoringCudaErrors(() -> driver.unload(module));
        ignoringCudaErrors(() -> driver.makeCurrent(null));
        ignoringCudaErrors(() -> driver.releasePrimaryContext(context));
    }

    /** The ranks have reported what broke the context; there is nothing to add. */
    private static void ignoringCudaErrors(final Runnable part)
    {
        CloseHelper.close(RankDevice::ignoreCudaError, part::run);
    }
}
