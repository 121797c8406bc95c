// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.PinnedMemory;
import io.signalbox.cuda.driver.StreamWait;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.ExpertRouterMode;
import io.signalbox.cuda.kernel.LogitsType;
import io.signalbox.cuda.kernel.StepMemory;

/** Every form of capture gives the same result, the oracle's, and leaves a view that reads -1 from end to end. */
final class CaptureFormsSection implements CheckSection
{
    private static final short NOT_WRITTEN = -1;

    private final CheckOracle oracle;

    CaptureFormsSection(final CheckOracle oracle)
    {
        this.oracle = oracle;
    }

    @Override
    public void run(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        long views = 0;
        for (final ExpertRouterMode mode : ExpertRouterMode.values())
        {
            for (final LogitsType type : LogitsType.values())
            {
                for (final CaptureForm form : CaptureForm.values())
                {
                    final StepSetup setup = StepSetup.of(options, form).with(mode, type);
                    views += check(device, setup, findings);
                }
            }
        }
        findings.count("results compared with the oracle, views found open", views);
        findings.note("All forms with " + options.shape().moeLayers() + " layers, " + options.shape().experts() +
            " experts, top-" + options.shape().topK() + "; padding of the views included.");
    }

    private int check(final CheckDevice device, final StepSetup setup, final Findings findings)
    {
        final int[] sizes = {setup.tokens(), 0, 1, Math.max(1, setup.tokens() - 1)};
        final StepOracle expected = new StepOracle(setup, oracle);
        try (CheckSteps steps = new CheckSteps(device, setup))
        {
            for (int i = 0; i < sizes.length; i++)
            {
                final long step = i + 1;
                steps.submit(step, sizes[i]);
                final ReceivedStep received = steps.await(step);
                String wrong = expected.difference(received, step, sizes[i]);
                if (wrong == null && !isOpen(view(device, steps, received.slot())))
                {
                    wrong = "step " + step + ": its capture view was left with ids in it.";
                }
                if (wrong != null)
                {
                    findings.failed(setup.describe() + ", " + wrong);
                    return i;
                }
            }
        }
        return sizes.length;
    }

    private static boolean isOpen(final short[] view)
    {
        for (final short id : view)
        {
            if (id != NOT_WRITTEN)
            {
                return false;
            }
        }
        return true;
    }

    /** The capture view of a slot, {@code [layer][token][k]}, after its step; nothing is in flight. */
    private static short[] view(final CheckDevice device, final CheckSteps steps, final int slot)
    {
        final StepMemory memory = steps.deviceSteps().ring().stepMemory();
        final long bytes = memory.slotStride() * Short.BYTES;
        try (DriverResources scratch = new DriverResources(device.driver()))
        {
            final PinnedMemory host = scratch.pinned(bytes);
            final CudaDriver.Stream stream = scratch.stream("view");
            steps.deviceSteps().ring().waitUntilOpen(slot, stream);
            device.driver().copyToHost(host, memory.capture().slice(slot * bytes, bytes), bytes, stream);
            StreamWait.await(device.driver(), stream);
            final short[] view = new short[(int)memory.slotStride()];
            host.buffer().asShortBuffer().get(view);
            return view;
        }
    }
}
