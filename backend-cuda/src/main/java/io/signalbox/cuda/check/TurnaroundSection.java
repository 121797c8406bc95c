// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.Quantiles;
import io.signalbox.cuda.CudaBackend;
import io.signalbox.cuda.CudaBackendConfig;
import io.signalbox.cuda.StepObserver;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.kernel.CaptureForm;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/**
 * How long the device waits between two steps of a request that depend on each other, through the real engine: from the end
 * of a step's kernels to the start of the next one's, on the device's own clock. The way back to the host, the rank's
 * thread, scheduler, journal gate and launch are all in it.
 */
final class TurnaroundSection implements CheckSection
{
    private static final int MOST_STEPS = 200;
    private static final int FEWEST_STEPS = 4;
    private static final int WARM_UP_SHARE = 4;

    private final EngineRunner engine;

    TurnaroundSection(final EngineRunner engine)
    {
        this.engine = engine;
    }

    @Override
    public void run(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        final int steps = Math.max(FEWEST_STEPS, Math.min(MOST_STEPS, options.samples()));
        final OverheadCell cell = new OverheadCell(1, 1, options.cells().get(0).millis());
        final StepSetup setup = StepSetup.of(options, CaptureForm.FUSED, cell)
            .reading(new StepLength(device).bytesPerLayer(options, cell));
        try (DriverResources events = new DriverResources(device.driver()))
        {
            final Gaps gaps = new Gaps(device.driver(), events, steps);
            final CudaBackendConfig config = setup.config().maxStepTokens(PROMPT_TOKENS).stepObserver(gaps);
            engine.generate(new CudaBackend(config, device.driver()), config.shape(), steps);
            device.makeCurrent();
            gaps.report(findings);
            findings.note((config.spins(1) ? "The rank's thread spins" : "The rank's thread parks for 20 us at a time") +
                " while a step is in flight; one request, one step at a time, fused capture.");
        }
    }

    /** The prompt is one step, and each of its tokens but the last one's successor another. */
    static final int PROMPT_TOKENS = 16;

    /** Events at both ends of every step. */
    private static final class Gaps implements StepObserver
    {
        private final CudaDriver driver;
        private final CudaDriver.Event[] starts;
        private final CudaDriver.Event[] ends;
        private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        private int begun;
        private int ended;
        private long firstCpuNanos;
        private long lastCpuNanos;
        private long firstNanos;
        private long lastNanos;

        private Gaps(final CudaDriver driver, final DriverResources owned, final int steps)
        {
            this.driver = driver;
            starts = new CudaDriver.Event[steps];
            ends = new CudaDriver.Event[steps];
            for (int i = 0; i < steps; i++)
            {
                starts[i] = owned.timedEvent();
                ends[i] = owned.timedEvent();
            }
        }

        @Override
        public void beforeKernels(final long step, final CudaDriver.Stream compute)
        {
            if (begun < starts.length)
            {
                lastCpuNanos = threads.getCurrentThreadCpuTime();
                lastNanos = System.nanoTime();
                firstCpuNanos = begun == 0 ? lastCpuNanos : firstCpuNanos;
                firstNanos = begun == 0 ? lastNanos : firstNanos;
                driver.record(starts[begun++], compute);
            }
        }

        @Override
        public void afterKernels(final long step, final CudaDriver.Stream compute)
        {
            if (ended < ends.length)
            {
                driver.record(ends[ended++], compute);
            }
        }

        private void report(final Findings findings)
        {
            final double[] gaps = new double[Math.max(1, ended - 1)];
            final double[] lengths = new double[Math.max(1, ended)];
            for (int i = 0; i < ended; i++)
            {
                lengths[i] = driver.elapsedMillis(starts[i], ends[i]);
                if (i > 0)
                {
                    gaps[i - 1] = driver.elapsedMillis(ends[i - 1], starts[i]) * 1e3;
                }
            }
            findings.count("steps", ended);
            findings.figure("step on the device, median", Quantiles.of(lengths, 50), "ms");
            // The first ones are of code that the JVM has not compiled yet.
            findings.quantiles("turnaround", Arrays.copyOfRange(gaps, gaps.length / WARM_UP_SHARE, gaps.length), "us");
            final double measured = Math.max(1, begun - 1);
            findings.figure("host CPU of the rank's thread per step", (lastCpuNanos - firstCpuNanos) / 1e3 / measured, "us");
            findings.figure("of the wall clock",
                100.0 * (lastCpuNanos - firstCpuNanos) / Math.max(1, lastNanos - firstNanos), "%");
        }
    }
}
