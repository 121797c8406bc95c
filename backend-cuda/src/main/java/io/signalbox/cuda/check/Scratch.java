// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DriverResources;

/** What a section takes from the device, given back at its end. */
final class Scratch extends DriverResources
{
    private final CudaDriver driver;

    Scratch(final CudaDriver driver)
    {
        super(driver);
        this.driver = driver;
    }

    /** Work that was launched may still use what is given back. */
    @Override
    public void close()
    {
        beforeThat(driver::synchronizeContext);
        super.close();
    }
}
