// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.CudaDevice;
import io.signalbox.cuda.kernel.KernelImage;

/**
 * Which device this is. That its context exists and the kernel image was loaded is known once this runs; that the kernels
 * are those of the image's sources is asked of what the driver took out of it.
 */
final class DeviceSection implements CheckSection
{
    private static final double GIB = 1L << 30;

    @Override
    public void run(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        final CudaDevice found = device.driver().device(options.device());
        final KernelImage image = KernelImage.load();
        if (!device.driver().hasGlobal(device.module(), image.sourceSymbol()))
        {
            findings.failed("The kernels that the driver loaded do not carry " + image.sourceSymbol() + ".");
        }
        findings.note(found.name() + ", compute capability " + found.computeCapability() + "; kernels of the sources " +
            image.sourceHash() + ".");
        findings.count("driver for CUDA", device.driver().version());
        findings.figure("memory", found.memoryBytes() / GIB, "GiB");
        findings.figure("memory that is free", device.driver().freeMemoryBytes() / GIB, "GiB");
    }
}
