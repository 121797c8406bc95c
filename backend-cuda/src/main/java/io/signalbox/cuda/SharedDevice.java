// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.ConfigException;
import io.signalbox.cuda.decoder.DecoderWeights;
import io.signalbox.cuda.decoder.WeightRefill;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceStuckException;
import io.signalbox.cuda.kernel.KernelImage;
import io.signalbox.model.ModelWeights;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

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
    /** The sets of weights of a model; empty without one, and until they are loaded. */
    private final List<DecoderWeights> decoders = new ArrayList<>();
    /** Null if the weights cannot be replaced. */
    private WeightRefill refill;

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

    /** Copies the weights to the device, and allocates a second set if weights can be replaced. The context is current. */
    void loadWeights()
    {
        if (config.decoder() == null)
        {
            weights = new SeededWeights(driver, config.router(), config.streamedBytesPerLayer());
        }
        else
        {
            decoders.add(DecoderWeights.load(driver, module, config.decoder().weights(), config.kernelFamily()));
        }
        if (config.weightSets() > 1)
        {
            decoders.add(DecoderWeights.empty(driver, config.decoder().weights(), config.kernelFamily()));
            refill = new WeightRefill(driver, module);
        }
    }

    /**
     * Copies weights over a set on the device. Makes the context current for the calling thread; one thread at a time.
     *
     * @param set     index of a set that no step reads.
     * @param stopped whether to stop the copy.
     */
    void refill(final int set, final ModelWeights newWeights, final BooleanSupplier stopped)
    {
        makeCurrent();
        refill.run(decoders.get(set), newWeights, stopped);
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

    /** The sets of weights of a model; empty without one. */
    List<DecoderWeights> decoders()
    {
        return decoders;
    }

    /** After the last rank on the device is closed. A broken context frees nothing piece by piece; its release does. */
    @Override
    public void close()
    {
        RankDevice.closeQuietly(this::makeCurrent);
        RankDevice.closeQuietly(weights);
        RankDevice.closeQuietly(refill);
        decoders.forEach(RankDevice::closeQuietly);
        RankDevice.closeQuietly(() -> driver.unload(module));
        RankDevice.closeQuietly(() -> driver.makeCurrent(null));
        RankDevice.closeQuietly(() -> driver.releasePrimaryContext(context));
    }
}
