// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

/**
 * For the stepped mode of the emulated driver, in which a question runs nothing: waits go straight to the call that blocks,
 * which runs what it waits for.
 */
public final class DrivenWaits extends ForwardingDriver
{
    public DrivenWaits(final CudaDriver driver)
    {
        super(driver);
    }

    @Override
    public boolean isIdle(final Stream stream)
    {
        return true;
    }
}
