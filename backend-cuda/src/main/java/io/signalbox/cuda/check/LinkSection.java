// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.PinnedMemory;
import io.signalbox.cuda.driver.StreamWait;

/**
 * Copies of results to pinned memory against the link. The link is measured by large copies of the same kind between the
 * same memories; what one copy brings is looked at, too.
 */
final class LinkSection implements CheckSection
{
    private static final long LARGE_BYTES = 64L << 20;
    private static final int LARGE_COPIES = 16;
    private static final int RESULT_COPIES = 200;
    private static final int[] PREFILL_TOKENS = {2048, 8192};
    private static final int HEADER_BYTES = 64;
    private static final double GIGA = 1e9;

    @Override
    public void run(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        final CudaDriver driver = device.driver();
        try (DriverResources scratch = new DriverResources(driver))
        {
            final CopyTimer timer = new CopyTimer(driver, scratch, LARGE_BYTES);
            final double link = LARGE_BYTES / timer.seconds(LARGE_BYTES, LARGE_COPIES) / GIGA;
            findings.figure("link, device to host, " + (LARGE_BYTES >> 20) + " MiB", link, "GB/s");
            result(timer, options, options.tokens(), link, findings);
            for (final int tokens : PREFILL_TOKENS)
            {
                result(timer, options, tokens, link, findings);
            }
            if (timer.wrongWords() != 0)
            {
                findings.failed("Copies brought " + timer.wrongWords() + " wrong words to the host.");
            }
            findings.note("Copies back to back on one stream, timed by events, each copy's last content compared.");
        }
    }

    private static void result(
        final CopyTimer timer, final CheckConfig options, final int tokens, final double link, final Findings findings)
    {
        final long bytes = Math.min(LARGE_BYTES,
            HEADER_BYTES + (long)tokens * (Integer.BYTES + options.shape().rowBytes()) + 3 & -Integer.BYTES);
        final double seconds = timer.seconds(bytes, RESULT_COPIES);
        final String name = "result of " + tokens + " tokens, " + bytes + " bytes";
        findings.figure(name + ", time", seconds * 1e6, "us");
        findings.figure(name + ", rate", bytes / seconds / GIGA, "GB/s");
        findings.figure(name + ", share of the link", bytes / seconds / GIGA / link * 100.0, "%");
    }

    /** Times copies on the device's clock. */
    private static final class CopyTimer
    {
        private final CudaDriver driver;
        private final CudaDriver.Stream stream;
        private final CudaDriver.Event start;
        private final CudaDriver.Event end;
        private final DeviceMemory source;
        private final PinnedMemory target;
        private int pattern = 0x5EED_0000;
        private long wrongWords;

        private CopyTimer(final CudaDriver driver, final DriverResources scratch, final long bytes)
        {
            this.driver = driver;
            stream = scratch.stream("check");
            start = scratch.timedEvent();
            end = scratch.timedEvent();
            source = scratch.device(bytes);
            target = scratch.pinned(bytes);
        }

        /** Seconds per copy; the first, which may set things up, is not timed. */
        private double seconds(final long bytes, final int copies)
        {
            pattern++;
            driver.fill(source, pattern, bytes / Integer.BYTES, stream);
            driver.copyToHost(target, source, bytes, stream);
            driver.record(start, stream);
            for (int i = 0; i < copies; i++)
            {
                driver.copyToHost(target, source, bytes, stream);
            }
            driver.record(end, stream);
            StreamWait.await(driver, stream);
            for (int at = 0; at < bytes; at += Integer.BYTES)
            {
                wrongWords += target.buffer().getInt(at) == pattern ? 0 : 1;
            }
            return driver.elapsedMillis(start, end) / 1e3 / copies;
        }

        private long wrongWords()
        {
            return wrongWords;
        }
    }
}
