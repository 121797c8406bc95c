// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.ForwardingDriver;

/** Drops the waits for events of one side: of the compute stream, or of all streams but it. */
final class OneStreamWaits extends ForwardingDriver
{
    private final Stream compute;
    private final boolean computeWaits;

    OneStreamWaits(final CudaDriver driver, final Stream compute, final boolean computeWaits)
    {
        super(driver);
        this.compute = compute;
        this.computeWaits = computeWaits;
    }

    @Override
    public void waitFor(final Stream stream, final Event event)
    {
        if (stream == compute == computeWaits)
        {
            super.waitFor(stream, event);
        }
    }
}
