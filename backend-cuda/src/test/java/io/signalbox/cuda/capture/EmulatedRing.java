// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaDriver.Launch;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.ForwardingDriver;
import io.signalbox.cuda.driver.KernelArguments;
import io.signalbox.cuda.driver.PinnedMemory;
import io.signalbox.cuda.kernel.KernelLaunches;
import io.signalbox.cuda.kernel.StepMemory;
import io.signalbox.experts.ModelShape;

import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A ring with the kernels of a step whose routed experts the test chooses: ids go to the device with each step and from
 * there to the capture view. The parts of a step can be left out or changed.
 */
final class EmulatedRing implements AutoCloseable
{
    static final int RANK = 3;
    static final long FINGERPRINT = 0x0123_4567_89AB_CDEFL;

    final CudaDriver driver;
    final CaptureRingConfig settings;
    final CaptureLayout layout;
    final CaptureRing ring;
    final EmulatedDevice device;
    final KernelLaunches kernels;
    /** Of all slots, {@code [slot][layer][token][k]}. */
    final PinnedMemory chosen;
    /** Of one step, {@code [layer][token][k]}. */
    final DeviceMemory ids;
    Launch[] captureCopies;
    /** After the rows are written and before they are packed. */
    Launch[] beforePacking = {};
    Launch sample;
    /** In place of the ring's own kernels of the copy stream; null: those. */
    Launch pack;
    Launch open;
    /** Of the kernels of the copy stream. */
    StepMemory resultMemory;
    IdSource idSource;

    EmulatedRing(final EmulatedDevice device, final CaptureRingConfig settings)
    {
        this(device, settings, driver -> driver, SlotGuards::new);
    }

    EmulatedRing(
        final EmulatedDevice device,
        final CaptureRingConfig settings,
        final UnaryOperator<CudaDriver> change,
        final Function<ResultCheck, SlotGuards> guards)
    {
        this.device = device;
        this.settings = settings;
        layout = settings.layout();
        driver = new NarrowLaunches(change.apply(device.driver));
        ring = CaptureRing.create(driver, device.compute, settings, new Parts(guards));
        final StepMemory memory = ring.stepMemory();
        kernels = new KernelLaunches(driver, device.module, memory);
        sample = kernels.sampleSeeded(StepOracle.SEED, layout.maxTokens());
        ids = layout.capturesRows() ? driver.allocate(4L * idsPerStep()) : null;
        chosen = layout.capturesRows() ? driver.allocatePinned(4L * idsPerStep() * layout.slots()) : null;
        if (layout.capturesRows())
        {
            prepareCapture();
        }
    }

    private void prepareCapture()
    {
        final int experts = layout.shape().experts();
        idSource = (step, token, layer, k) -> StepOracle.id(experts, step, token, layer, k);
        captureCopies = new Launch[layout.layers()];
        for (int layer = 0; layer < captureCopies.length; layer++)
        {
            captureCopies[layer] = kernels.captureCopy(layerIds(layer), layer, 1, layout.maxTokens());
        }
    }

    /** On the memory of the copy stream. */
    KernelLaunches resultLaunches(final CudaDriver through)
    {
        return new KernelLaunches(through, device.module, resultMemory);
    }

    static CaptureRingConfig settings(final ModelShape shape, final int maxTokens, final int slots, final int inFlight)
    {
        return new CaptureRingConfig(RANK, FINGERPRINT, new CaptureLayout(shape, maxTokens, slots), inFlight);
    }

    private int idsPerStep()
    {
        return layout.layers() * layout.maxTokens() * layout.topK();
    }

    private DeviceMemory layerIds(final int layer)
    {
        final long bytes = 4L * layout.maxTokens() * layout.topK();
        return ids.slice(layer * bytes, bytes);
    }

    /** A whole step, or null if the ring takes none now. */
    CaptureSlot tryStep(final long step, final int tokens)
    {
        final CaptureSlot slot = ring.tryOpen(step);
        if (slot != null)
        {
            fill(slot, tokens);
            ring.begin(slot, layout.maxTokens());
            launchKernels(slot);
            ring.finish(slot);
        }
        return slot;
    }

    void fill(final CaptureSlot slot, final int tokens)
    {
        final long step = slot.step();
        final StepBlock block = slot.stepBlock();
        final int entries = StepOracle.entries(tokens);
        block.begin(1, tokens, entries);
        for (int token = 0; token < tokens; token++)
        {
            block.token(token, StepOracle.request(step, token), StepOracle.position(step, token));
        }
        for (int entry = 0; entry < entries; entry++)
        {
            block.entry(entry, StepOracle.lastToken(tokens, entry));
        }
    }

    void launchKernels(final CaptureSlot slot)
    {
        if (layout.capturesRows())
        {
            launchCapture(slot);
        }
        driver.launch(sample, device.compute);
    }

    /** A layer without a launch is one whose kernel writes nothing. */
    private void launchCapture(final CaptureSlot slot)
    {
        chooseIds(slot);
        final long bytes = 4L * idsPerStep();
        driver.copyToDevice(ids, chosen.slice(slot.index() * bytes, bytes), bytes, device.compute);
        for (final Launch captureCopy : captureCopies)
        {
            if (captureCopy != null)
            {
                driver.launch(captureCopy, device.compute);
            }
        }
        for (final Launch launch : beforePacking)
        {
            driver.launch(launch, device.compute);
        }
    }

    /** For all tokens that fit, those of padding included. */
    private void chooseIds(final CaptureSlot slot)
    {
        int at = 4 * idsPerStep() * slot.index();
        for (int layer = 0; layer < layout.layers(); layer++)
        {
            for (int token = 0; token < layout.maxTokens(); token++)
            {
                for (int k = 0; k < layout.topK(); k++, at += 4)
                {
                    chosen.buffer().putInt(at, idSource.id(slot.step(), token, layer, k));
                }
            }
        }
    }

    /** The whole capture buffer after all that the compute stream was given. */
    short[] readCapture()
    {
        final DeviceMemory capture = ring.stepMemory().capture();
        final PinnedMemory staged = driver.allocatePinned(capture.bytes());
        driver.copyToHost(staged, capture, capture.bytes(), device.compute);
        driver.synchronize(device.compute);
        final short[] values = new short[(int)capture.bytes() / Short.BYTES];
        staged.buffer().asShortBuffer().get(values);
        driver.free(staged);
        return values;
    }

    @Override
    public void close()
    {
        ring.close();
        if (layout.capturesRows())
        {
            driver.free(ids);
            driver.free(chosen);
        }
    }

    /** The expert that a step's token is given. */
    interface IdSource
    {
        int id(long step, int token, int layer, int k);
    }

    /** The ring's parts, of which the test may have replaced some. */
    private final class Parts extends RingParts
    {
        private final Function<ResultCheck, SlotGuards> guards;

        private Parts(final Function<ResultCheck, SlotGuards> guards)
        {
            super(device.module);
            this.guards = guards;
        }

        @Override
        SlotGuards guards(final ResultCheck check)
        {
            return guards.apply(check);
        }

        @Override
        ResultKernels kernels(final CudaDriver through, final StepMemory memory, final CaptureLayout ofRing)
        {
            resultMemory = memory;
            return new ResultKernels(resultLaunches(through), ofRing)
            {
                @Override
                Launch pack(final int tokens)
                {
                    return pack == null ? super.pack(tokens) : pack;
                }

                @Override
                Launch open()
                {
                    return open == null ? super.open() : open;
                }
            };
        }
    }

    /** One warp per launch: kernels of these steps loop, and the emulated driver pays for each thread. */
    private static final class NarrowLaunches extends ForwardingDriver
    {
        private static final int WARP_LANES = 32;

        private NarrowLaunches(final CudaDriver driver)
        {
            super(driver);
        }

        @Override
        public Launch prepareLaunch(
            final Kernel kernel,
            final int blocks,
            final int threadsPerBlock,
            final int sharedBytes,
            final KernelArguments arguments)
        {
            return super.prepareLaunch(kernel, 1, WARP_LANES, sharedBytes, arguments);
        }
    }
}
