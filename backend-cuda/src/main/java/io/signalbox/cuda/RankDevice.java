// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;
import io.signalbox.cuda.capture.CaptureLayout;
import io.signalbox.cuda.capture.CaptureRing;
import io.signalbox.cuda.capture.CaptureRingConfig;
import io.signalbox.cuda.capture.CaptureSlot;
import io.signalbox.cuda.decoder.DecoderStep;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaException;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.DeviceStuckException;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.experts.ModelShape;
import org.agrona.CloseHelper;

import java.util.ArrayList;
import java.util.List;

/** The resources of one rank on its device: compute stream, capture ring, model buffers, a program per set of weights. */
final class RankDevice implements AutoCloseable
{
    private final CudaDriver driver;
    private final SharedDevice device;
    private final CudaDriver.Stream compute;
    private final StepObserver observer;
    private CaptureRing ring;
    private StepModel model;
    /** The programs, one per set of weights. */
    private final List<StepProgram> programs = new ArrayList<>();

    private RankDevice(final CudaDriver driver, final SharedDevice device, final StepObserver observer)
    {
        this.observer = observer;
        this.driver = driver;
        this.device = device;
        compute = driver.createStream("compute");
    }

    /**
     * The device's context is current.
     *
     * @param form  null if capture is disabled.
     * @param shape of captured rows, null likewise.
     */
    static RankDevice open(
        final CudaDriver driver,
        final SharedDevice device,
        final CudaBackendConfig config,
        final int rank,
        final CaptureForm form,
        final ModelShape shape)
    {
        final CaptureLayout layout = layout(config, shape);
        final RankDevice opened = new RankDevice(driver, device, config.stepObserver());
        try
        {
            opened.ring = CaptureRing.create(driver, opened.compute, device.module(),
                new CaptureRingConfig(rank, fingerprint(device, config, layout), layout, config.stepsInFlight()));
            opened.model = opened.model(config, form, layout.slots());
            for (int set = 0; set < config.weightSets(); set++)
            {
                opened.programs.add(new StepProgram(driver, opened.compute,
                    new StepBuckets(config.maxStepTokens(), config.maxGraphTokens()), opened.model, set));
            }
            return opened;
        }
        catch (final RuntimeException | Error e)
        {
            if (DeviceStuckException.permitsFreeing(e))
            {
                opened.close();
            }
            throw e;
        }
    }

    /** One slot more than steps in flight: the rows of the last step are still read while the next ones run. */
    static CaptureLayout layout(final CudaBackendConfig config, final ModelShape shape)
    {
        return new CaptureLayout(shape, config.maxStepTokens(), config.stepsInFlight() + 1,
            config.decoder() == null ? 0 : config.decoder().feedBytes());
    }

    private StepModel model(final CudaBackendConfig config, final CaptureForm form, final int slots)
    {
        final DecoderSetup decoder = config.decoder();
        if (decoder == null)
        {
            return new SeededModel(driver, device.module(), config, form, device.weights(), ring.stepMemory());
        }
        return new DecoderModel(new DecoderStep(driver, device.module(), decoder.plan(), decoder.precision(),
            decoder.family(), form, ring.stepMemory(), decoder.memory(slots)), device.decoders());
    }

    /** Identifies results of this model, seed and kernels. */
    private static long fingerprint(
        final SharedDevice device, final CudaBackendConfig config, final CaptureLayout layout)
    {
        final long shape = StateDigest.mix(layout.layers(), layout.topK());
        final long router = StateDigest.mix(config.router().experts(), config.logits().seed());
        final long kernels = StateDigest.mix(router, config.kernelFamily().ordinal());
        return StateDigest.mix(StateDigest.mix(shape, kernels), Long.parseUnsignedLong(device.sourceHash(), 16));
    }

    /** For the calling thread, which then may use the driver. */
    void makeCurrent()
    {
        device.makeCurrent();
    }

    /**
     * Gives a step, whose block is filled in, to the device.
     *
     * @param set index of the weights that the step computes with.
     */
    void launch(final CaptureSlot slot, final int set)
    {
        final StepProgram program = programs.get(set);
        final int tokens = slot.stepBlock().tokens();
        ring.begin(slot, program.bucketTokens(tokens));
        if (observer == null)
        {
            program.run(tokens);
        }
        else
        {
            observer.beforeKernels(slot.step(), compute);
            program.run(tokens);
            observer.afterKernels(slot.step(), compute);
        }
        ring.finish(slot);
    }

    /** As {@link StepModel#logits}. */
    DeviceMemory logits()
    {
        return model.logits();
    }

    /** As {@link StepModel#keysAndValues}. */
    List<DeviceMemory> keysAndValues()
    {
        return model.keysAndValues();
    }

    /** The kernels of a step of {@code tokens}, as the program runs them. */
    List<CudaDriver.Launch> launches(final int tokens)
    {
        return model.launches(0, programs.get(0).bucketTokens(tokens));
    }

    CaptureRing ring()
    {
        return ring;
    }

    /**
     * Waits for the streams first: the ring does. Memory that a broken context refuses to free goes with the context.
     *
     * @throws DeviceStuckException if a stream does not end in time; nothing is given back then.
     */
    @Override
    public void close()
    {
        closeQuietly(device::makeCurrent);
        closeQuietly(ring);
        programs.forEach(RankDevice::closeQuietly);
        closeQuietly(model);
        closeQuietly(() -> driver.destroy(compute));
    }

    /** The owner of a broken context has reported it already. */
    static void closeQuietly(final AutoCloseable part)
    {
        CloseHelper.close(RankDevice::ignoreCudaError, part);
    }

    private static void ignoreCudaError(final Throwable error)
    {
        if (error instanceof DeviceStuckException)
        {
            throw (DeviceStuckException)error;
        }
        if (!(error instanceof CudaException))
        {
            throw new InvariantViolation("closing a rank on its device ended in " + error);
        }
    }
}
