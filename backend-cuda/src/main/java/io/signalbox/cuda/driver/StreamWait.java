// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for a stream by asking. A blocking call of the driver never returns if the device hangs, so the driver is asked to
 * wait only once the stream has no work left.
 */
public final class StreamWait
{
    private static final int SPINS = 1_000;
    private static final long PARK_NANOS = 20_000;

    private StreamWait()
    {
    }

    /**
     * Returns when all work of the stream is done.
     *
     * @throws DeviceStuckException if work is left after {@link CudaDriver#deviceLimitNanos}.
     * @throws CudaException        if the device failed.
     */
    public static void await(final CudaDriver driver, final CudaDriver.Stream stream)
    {
        final long limitNanos = driver.deviceLimitNanos();
        final long sinceNanos = System.nanoTime();
        for (int asked = 0; !driver.isIdle(stream); asked++)
        {
            if (System.nanoTime() - sinceNanos > limitNanos)
            {
                throw new DeviceStuckException(stream + " still had work after " + seconds(limitNanos));
            }
            pause(asked);
        }
        driver.synchronize(stream);
    }

    private static void pause(final int asked)
    {
        if (asked < SPINS)
        {
            Thread.onSpinWait();
        }
        else
        {
            LockSupport.parkNanos(PARK_NANOS);
        }
    }

    /** {@code 10 s}, or {@code 250 ms} for limits below a second. */
    static String seconds(final long nanos)
    {
        final long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
        return millis % 1_000 == 0 ? millis / 1_000 + " s" : millis + " ms";
    }
}
