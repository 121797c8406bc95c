// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.decoder.DecoderWeights;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceStuckException;
import io.signalbox.cuda.kernel.KernelImage;

/** The shared parts of the ranks on one device: its primary context, the kernels, the weights. */
final class SharedDevice implements AutoCloseable
{
    private final CudaDriver driver;
    private final KernelImage image;
    private final CudaDriver.Context context;
    private final CudaDriver.KernelModule module;
    private final CudaBackendConfig config;
    /** Null with a model, and until the weights are loaded. */
    private SeededWeights weights;
    /** Null without a model, and until the weights are loaded. */
    private DecoderWeights decoder;

    /**
     * Makes the context current for the calling thread, and takes no memory for the model.
     *
     * @param budget what the device must have room for; null: not known beforehand.
     * @throws ConfigException if it has not.
     */
    SharedDevice(
        final CudaDriver driver, final int ordinal, final KernelImage image, final CudaBackendConfig config,
        final DeviceBudget budget)
    {
        this.config = config;
        this.driver = driver;
        this.image = image;
        context = driver.retainPrimaryContext(ordinal);
        CudaDriver.KernelModule loaded = null;
        try
        {
            driver.makeCurrent(context);
            if (budget != null)
            {
                budget.on("GPU " + ordinal, driver.freeMemoryBytes()).check();
            }
            loaded = driver.loadModule(image.bytes());
        }
        catch (final RuntimeException | Error e)
        {
            if (DeviceStuckException.permitsFreeing(e))
            {
                giveBack(loaded);
            }
            throw e;
        }
        module = loaded;
    }

    /** Brings the weights to the device, whose context is current. */
    void loadWeights()
    {
        if (config.decoder() == null)
        {
            weights = new SeededWeights(driver, config.router(), config.streamedBytesPerLayer());
        }
        else
        {
            decoder = DecoderWeights.load(driver, module, config.decoder().weights());
        }
    }

    private void giveBack(final CudaDriver.KernelModule loaded)
    {
        if (loaded != null)
        {
            driver.unload(loaded);
        }
        driver.releasePrimaryContext(context);
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

    /** Of the kernels. */
    String sourceHash()
    {
        return image.sourceHash();
    }

    /** Null with a model. */
    SeededWeights weights()
    {
        return weights;
    }

    /** Null without a model. */
    DecoderWeights decoder()
    {
        return decoder;
    }

    /** After the last rank on the device is closed. A broken context frees nothing piece by piece; its release does. */
    @Override
    public void close()
    {
        RankDevice.closeQuietly(this::makeCurrent);
        RankDevice.closeQuietly(weights);
        RankDevice.closeQuietly(decoder);
        RankDevice.closeQuietly(() -> driver.unload(module));
        RankDevice.closeQuietly(() -> driver.makeCurrent(null));
        RankDevice.closeQuietly(() -> driver.releasePrimaryContext(context));
    }
}
