// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.kernel.KernelLaunches;
import io.signalbox.cuda.kernel.StepMemory;

/** Makes the parts of a ring that tests replace: its guards, and the kernels of its copy stream. */
class RingParts
{
    private final CudaDriver.KernelModule module;

    RingParts(final CudaDriver.KernelModule module)
    {
        this.module = module;
    }

    SlotGuards guards(final ResultCheck check)
    {
        return new SlotGuards(check);
    }

    /** @param memory with the header of the copy stream. */
    ResultKernels kernels(final CudaDriver driver, final StepMemory memory, final CaptureLayout layout)
    {
        return new ResultKernels(new KernelLaunches(driver, module, memory), layout);
    }
}
