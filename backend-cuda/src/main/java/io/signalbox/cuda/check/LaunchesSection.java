// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.Quantiles;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.PinnedMemory;
import io.signalbox.cuda.driver.StreamWait;
import io.signalbox.cuda.kernel.KernelLaunches;
import io.signalbox.cuda.kernel.StepMemory;

import java.util.Collections;
import java.util.List;

/** The cost of the calls of a step for the calling thread, and of an empty kernel for the device. */
final class LaunchesSection implements CheckSection
{
    /** Well below the launches that a driver queues before it makes the caller wait. */
    private static final int BATCH = 256;
    private static final int STEP_BYTES = 64;

    @Override
    public void run(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        final CudaDriver driver = device.driver();
        try (DriverResources scratch = new DriverResources(driver))
        {
            final CudaDriver.Stream stream = scratch.stream("check");
            final CudaDriver.Launch launch = nothing(device, scratch, stream);
            final int batches = Math.max(2, options.samples() / BATCH);
            batches(driver, scratch, stream, batches, () -> driver.launch(launch, stream), "launch", true, findings);
            final CudaDriver.Graph graph = graph(driver, scratch, stream, Collections.nCopies(BATCH, launch));
            graphs(driver, scratch, stream, batches, graph, findings);
            if (device.writesWords())
            {
                final PinnedMemory word = scratch.pinned(STEP_BYTES);
                batches(driver, scratch, stream, batches, () -> driver.writeWord(word, 1, stream), "stream write", false,
                    findings);
            }
            findings.note("Batches of " + BATCH + " calls on an idle stream, the driver included.");
        }
    }

    /** The smallest launch: reads the step block and no memory behind it. */
    static CudaDriver.Launch nothing(
        final CheckDevice device, final DriverResources scratch, final CudaDriver.Stream stream)
    {
        final DeviceMemory step = scratch.device(STEP_BYTES);
        device.driver().fill(step, 0, STEP_BYTES / Integer.BYTES, stream);
        return new KernelLaunches(device.driver(), device.module(), StepMemory.of(step))
            .streamBytes(step.slice(0, 0), scratch.device(STEP_BYTES));
    }

    /** These launches, one after the other, as a graph. */
    static CudaDriver.Graph graph(
        final CudaDriver driver,
        final DriverResources scratch,
        final CudaDriver.Stream stream,
        final List<CudaDriver.Launch> launches)
    {
        driver.beginCapture(stream);
        launches.forEach(launch -> driver.launch(launch, stream));
        return scratch.owned(driver.endCapture(stream));
    }

    /**
     * Nanoseconds of the caller per call, and of the device.
     *
     * @param runs whether there is something to run, so that the device's time is of interest.
     */
    private static void batches(
        final CudaDriver driver,
        final DriverResources scratch,
        final CudaDriver.Stream stream,
        final int batches,
        final Runnable call,
        final String name,
        final boolean runs,
        final Findings findings)
    {
        final CudaDriver.Event start = scratch.timedEvent();
        final CudaDriver.Event end = scratch.timedEvent();
        final double[] host = new double[batches];
        final double[] device = new double[batches];
        for (int batch = -batches / 2; batch < batches; batch++)
        {
            driver.record(start, stream);
            final long startNanos = System.nanoTime();
            for (int i = 0; i < BATCH; i++)
            {
                call.run();
            }
            final long endNanos = System.nanoTime();
            driver.record(end, stream);
            StreamWait.await(driver, stream);
            if (batch >= 0)
            {
                host[batch] = (double)(endNanos - startNanos) / BATCH;
                device[batch] = driver.elapsedMillis(start, end) * 1e6 / BATCH;
            }
        }
        findings.figure(name + ", caller, median", Quantiles.of(host, 50), "ns");
        if (runs)
        {
            findings.figure(name + ", device, median", Quantiles.of(device, 50), "ns");
        }
    }

    private static void graphs(
        final CudaDriver driver,
        final DriverResources scratch,
        final CudaDriver.Stream stream,
        final int batches,
        final CudaDriver.Graph graph,
        final Findings findings)
    {
        final CudaDriver.Event start = scratch.timedEvent();
        final CudaDriver.Event end = scratch.timedEvent();
        final double[] host = new double[batches];
        final double[] device = new double[batches];
        for (int batch = -batches / 2; batch < batches; batch++)
        {
            driver.record(start, stream);
            final long startNanos = System.nanoTime();
            driver.launch(graph, stream);
            final long endNanos = System.nanoTime();
            driver.record(end, stream);
            StreamWait.await(driver, stream);
            if (batch >= 0)
            {
                host[batch] = endNanos - startNanos;
                device[batch] = driver.elapsedMillis(start, end) * 1e6 / BATCH;
            }
        }
        findings.figure("graph of " + BATCH + " launches, caller, median", Quantiles.of(host, 50), "ns");
        findings.figure("graph of " + BATCH + " launches, device, median per launch", Quantiles.of(device, 50), "ns");
    }
}
