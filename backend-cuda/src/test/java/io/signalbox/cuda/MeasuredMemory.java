// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.ForwardingDriver;
import io.signalbox.cuda.driver.JCudaBinding;

/** Adds up the device memory that is taken at a time. */
final class MeasuredMemory extends ForwardingDriver
{
    private long now;
    private long most;

    MeasuredMemory()
    {
        super(new JCudaBinding());
    }

    @Override
    public synchronized DeviceMemory allocate(final long bytes)
    {
        final DeviceMemory memory = super.allocate(bytes);
        now += DeviceMemory.taken(bytes);
        most = Math.max(most, now);
        return memory;
    }

    @Override
    public synchronized void free(final DeviceMemory memory)
    {
        super.free(memory);
        now -= DeviceMemory.taken(memory.bytes());
    }

    synchronized long most()
    {
        return most;
    }
}
