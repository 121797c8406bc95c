// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.backend.RankSizes;
import io.signalbox.cuda.capture.CaptureRing;
import io.signalbox.cuda.capture.CaptureSlot;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.DeviceStuckException;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelImage;
import io.signalbox.experts.ModelShape;

import java.util.List;

/**
 * The device side of a rank, without the rank's thread: for checks and measurements that give it steps
 * themselves. For one thread, to which it makes the device's context current.
 */
public final class DeviceSteps implements AutoCloseable
{
    private final CudaDriver driver;
    private final SharedDevice device;
    private final RankDevice rank;
    private final boolean owner;

    /**
     * @param config its first device is used.
     * @param form   the source of captured rows, which the configured kernels must serve; null: capture is disabled.
     */
    public DeviceSteps(final CudaDriver driver, final CudaBackendConfig config, final CaptureForm form)
    {
        this(driver, config, form, form == null ? null : config.shape());
    }

    private DeviceSteps(
        final CudaDriver driver, final CudaBackendConfig config, final CaptureForm form, final ModelShape captured)
    {
        this.driver = driver;
        owner = true;
        device = new SharedDevice(driver, config.deviceOf(0), KernelImage.load(), config, null);
        try
        {
            device.loadWeights();
            rank = RankDevice.open(driver, device, config, 0, form, captured);
        }
        catch (final RuntimeException | Error e)
        {
            if (DeviceStuckException.permitsFreeing(e))
            {
                device.close();
            }
            throw e;
        }
    }

    /**
     * Steps of the model of a configuration, for a rank of these sizes.
     *
     * @param captured the model's shape, with or without combine weights; null: capture is disabled.
     */
    public static DeviceSteps ofModel(
        final CudaDriver driver, final CudaBackendConfig config, final RankSizes sizes, final CaptureForm form,
        final ModelShape captured)
    {
        config.sized(sizes);
        return new DeviceSteps(driver, config, form, captured);
    }

    private DeviceSteps(
        final DeviceSteps first, final CudaBackendConfig config, final CaptureForm form, final ModelShape captured)
    {
        driver = first.driver;
        device = first.device;
        owner = false;
        rank = RankDevice.open(driver, device, config, 0, form, captured);
    }

    /**
     * Steps of another kind with the same context, kernels and weights, among them the memory that layers read; to be closed
     * before these.
     */
    public DeviceSteps besideModel(
        final CudaBackendConfig config, final RankSizes sizes, final CaptureForm form, final ModelShape captured)
    {
        config.sized(sizes);
        return new DeviceSteps(this, config, form, captured);
    }

    /** The same for steps without a model. */
    public DeviceSteps beside(final CudaBackendConfig config, final CaptureForm form)
    {
        return new DeviceSteps(this, config, form, form == null ? null : config.shape());
    }

    public CaptureRing ring()
    {
        return rank.ring();
    }

    /** Logits of each entry of the last step, {@code [entries][vocabulary]} float32; null: steps without a model. */
    public DeviceMemory logits()
    {
        return rank.logits();
    }

    /** Keys and values of all layers, in the type of the model's values; empty: steps without a model. */
    public List<DeviceMemory> keysAndValues()
    {
        return rank.keysAndValues();
    }

    /**
     * The kernels of a step of {@code tokens}, in order. They read the step block on the device, so they can run again in
     * {@link StepObserver#afterKernels}.
     */
    public List<CudaDriver.Launch> launches(final int tokens)
    {
        return rank.launches(tokens);
    }

    /** Gives a step, opened in the {@link #ring} and with its block filled in, to the device. */
    public void launch(final CaptureSlot slot)
    {
        rank.launch(slot, 0);
    }

    /**
     * Waits for work in flight and gives everything back. From here on the thread has no context.
     *
     * @throws DeviceStuckException if it does not end in time; nothing is given back then.
     */
    @Override
    public void close()
    {
        // Not in a finally block: nothing is given back if the rank's streams still have work.
        rank.close();
        if (owner)
        {
            device.close();
        }
    }
}
