// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.ForwardingDriver;
import io.signalbox.cuda.driver.PinnedMemory;

/** Gives the compute stream's step block to the copy stream as well: its own header takes no room and no copy. */
final class SharedHeader extends ForwardingDriver
{
    private DeviceMemory stepBlock;

    SharedHeader(final CudaDriver driver)
    {
        super(driver);
    }

    /** The header is what is allocated with exactly its size, after the step block. */
    @Override
    public DeviceMemory allocate(final long bytes)
    {
        if (bytes == StepBlock.HEADER_BYTES)
        {
            return stepBlock.slice(0, bytes);
        }
        stepBlock = super.allocate(bytes);
        return stepBlock;
    }

    @Override
    public void free(final DeviceMemory memory)
    {
        if (memory.bytes() != StepBlock.HEADER_BYTES)
        {
            super.free(memory);
        }
    }

    @Override
    public void copyToDevice(
        final DeviceMemory target, final PinnedMemory source, final long bytes, final Stream stream)
    {
        if (target.bytes() != StepBlock.HEADER_BYTES)
        {
            super.copyToDevice(target, source, bytes, stream);
        }
    }
}
