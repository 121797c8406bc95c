// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceStuckException;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.PinnedMemory;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The time until a polling Java thread sees a word that an idle stream writes. The time begins before the call that enqueues
 * the write, because host and device have no common clock. Events are not measured: the driver answers the query of an idle
 * stream without the device.
 */
final class LatencySection implements CheckSection
{
    private static final int WORD_BYTES = 64;
    private static final long GIVE_UP_NANOS = 5_000_000_000L;

    @Override
    public void run(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        final CudaDriver driver = device.driver();
        try (DriverResources scratch = new DriverResources(driver))
        {
            final CudaDriver.Stream stream = scratch.stream("check");
            if (device.writesWords())
            {
                words(driver, stream, scratch.pinned(WORD_BYTES), options.samples(), findings);
            }
            else
            {
                findings.note("This device writes no words from a stream; the backend queries events instead.");
            }
            findings.note("From before the enqueuing call until a polling Java thread sees it; stream idle, one at a time.");
        }
    }

    private static void words(
        final CudaDriver driver,
        final CudaDriver.Stream stream,
        final PinnedMemory word,
        final int samples,
        final Findings findings)
    {
        final UnsafeBuffer seen = new UnsafeBuffer(word.buffer());
        final double[] calls = new double[samples];
        final double[] totals = new double[samples];
        for (int i = -samples / 10; i < samples; i++)
        {
            final int value = i + samples;
            final long start = System.nanoTime();
            driver.writeWord(word, value, stream);
            final long called = System.nanoTime();
            while (seen.getIntVolatile(0) != value)
            {
                giveUp(called);
            }
            keep(i, start, called, calls, totals);
        }
        findings.quantiles("stream write, the call", calls, "us");
        findings.quantiles("stream write until seen", totals, "us");
    }

    /** The first tenth, before the code is compiled, has negative indices and is not kept. */
    private static void keep(
        final int i, final long start, final long called, final double[] calls, final double[] totals)
    {
        if (i >= 0)
        {
            totals[i] = (System.nanoTime() - start) / 1e3;
            calls[i] = (called - start) / 1e3;
        }
    }

    private static void giveUp(final long since)
    {
        Thread.onSpinWait();
        if (System.nanoTime() - since > GIVE_UP_NANOS)
        {
            throw new DeviceStuckException(
                "a stream's write did not arrive within " + GIVE_UP_NANOS / 1_000_000_000L + " s");
        }
    }
}
