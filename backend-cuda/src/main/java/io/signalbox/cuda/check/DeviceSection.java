// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.CudaDevice;

/** Which device this is. That its context exists and the kernel image was loaded is known once this runs. */
final class DeviceSection implements CheckSection
{
    private static final double GIB = 1L << 30;

    @Override
    public void run(final CheckDevice device, final CheckOptions options, final Findings findings)
    {
        final CudaDevice found = device.driver().device(options.device());
        findings.note(found.name() + ", compute capability " + found.computeCapability() + "; the kernel image was loaded.");
        findings.count("driver for CUDA", device.driver().version());
        findings.figure("memory", found.memoryBytes() / GIB, "GiB");
        findings.figure("memory that is free", device.driver().freeMemoryBytes() / GIB, "GiB");
    }
}
