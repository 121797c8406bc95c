// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.StreamWait;

/** Finds how much memory a layer must read for a step to take as long as is asked for. */
final class StepLength
{
    private static final long FIRST_BYTES = 1L << 20;
    private static final long MOST_BYTES = 4L << 30;
    private static final double LONG_ENOUGH_SECONDS = 2e-3;
    private static final int REPETITIONS = 4;
    private static final int STEPS = 40;
    private static final int FEWEST_STEPS = 8;
    private static final double MEASURED_MILLIS = 600.0;
    private static final double MOST_CORRECTION = 2.0;
    private static final int ALIGNMENT = 4096;
    /** Of the free memory: other processes of the device may need some. */
    private static final int MEMORY_SHARE = 8;

    private final CheckDevice device;
    private final CudaDriver driver;

    StepLength(final CheckDevice device)
    {
        this.device = device;
        driver = device.driver();
    }

    /** @return 0 if steps are to read nothing, or take that long without. */
    long bytesPerLayer(final CheckConfig options, final OverheadCell cell)
    {
        final double bare = cell.millis() == 0.0 ? 0.0 : stepSeconds(options, cell, 0);
        final double seconds = cell.millis() / 1e3 - bare;
        if (seconds <= 0.0)
        {
            return 0;
        }
        final long bytes = available((long)(seconds / options.shape().moeLayers() * bytesPerSecond()));
        if (bytes == 0)
        {
            return 0;
        }
        return available(corrected(bytes, seconds, stepSeconds(options, cell, bytes) - bare));
    }

    private long available(final long bytes)
    {
        return Math.min(driver.freeMemoryBytes() / MEMORY_SHARE, bytes) & -ALIGNMENT;
    }

    /**
     * Caches keep some of what every layer reads again, and every kernel needs time to start, so that steps are not as long
     * as the device's bandwidth alone would have them.
     *
     * @param wanted seconds of a step for reading.
     * @param took   what reading {@code bytes} in each layer took; at most {@link #MOST_CORRECTION} times off is believed.
     */
    static long corrected(final long bytes, final double wanted, final double took)
    {
        final double factor = took > 0.0 ? wanted / took : MOST_CORRECTION;
        return Math.round(bytes * Math.min(MOST_CORRECTION, Math.max(1.0 / MOST_CORRECTION, factor)));
    }

    /** The time of a step without capture, two in flight as in the comparison. */
    private double stepSeconds(final CheckConfig options, final OverheadCell cell, final long bytes)
    {
        final int count = (int)Math.min(STEPS, Math.max(FEWEST_STEPS, MEASURED_MILLIS / Math.max(1.0, cell.millis())));
        try (CheckSteps steps = new CheckSteps(device, StepSetup.of(options, null, cell).reading(bytes)))
        {
            long startNanos = 0;
            steps.submit(1, cell.batch());
            for (long step = 2; step <= count; step++)
            {
                steps.submit(step, cell.batch());
                steps.await(step - 1);
                startNanos = step == count / 2 ? System.nanoTime() : startNanos;
            }
            final double seconds = (System.nanoTime() - startNanos) / 1e9 / (count - count / 2);
            steps.await(count);
            return seconds;
        }
    }

    /** Reads larger and larger ranges until one takes long enough to be timed, and none that caches would hold. */
    double bytesPerSecond()
    {
        final long most = Math.min(MOST_BYTES, driver.freeMemoryBytes() / MEMORY_SHARE);
        long bytes = FIRST_BYTES;
        double seconds = readSeconds(bytes);
        while (seconds < LONG_ENOUGH_SECONDS && bytes * 2 <= most)
        {
            bytes *= 2;
            seconds = readSeconds(bytes);
        }
        return bytes / seconds;
    }

    private double readSeconds(final long bytes)
    {
        try (DriverResources scratch = new DriverResources(driver))
        {
            final CudaDriver.Stream stream = scratch.stream("compute");
            final CudaDriver.Event start = scratch.timedEvent();
            final CudaDriver.Event end = scratch.timedEvent();
            final CudaDriver.Launch launch = BusyDevice.read(device, scratch, bytes, stream);
            driver.launch(launch, stream);
            driver.record(start, stream);
            for (int i = 0; i < REPETITIONS; i++)
            {
                driver.launch(launch, stream);
            }
            driver.record(end, stream);
            StreamWait.await(driver, stream);
            return driver.elapsedMillis(start, end) / 1e3 / REPETITIONS;
        }
    }
}
