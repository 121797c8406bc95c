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
    private final SeededWeights weights;
    /** Null without a model. */
    private final DecoderWeights decoder;

    /** Makes the context current for the calling thread. */
    SharedDevice(
        final CudaDriver driver, final int ordinal, final KernelImage image, final CudaBackendConfig config)
    {
        this.driver = driver;
        this.image = image;
        context = driver.retainPrimaryContext(ordinal);
        CudaDriver.KernelModule loaded = null;
        try
        {
            driver.makeCurrent(context);
            loaded = driver.loadModule(image.bytes());
            decoder = config.decoder() == null ? null : new DecoderWeights(driver, config.decoder().weights());
            weights = config.decoder() == null ?
                new SeededWeights(driver, config.router(), config.streamedBytesPerLayer()) : null;
        }
        catch (final RuntimeException e)
        {
            if (DeviceStuckException.permitsFreeing(e))
            {
                giveBack(loaded);
            }
            throw e;
        }
        module = loaded;
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
