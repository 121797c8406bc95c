// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;

import java.util.ArrayList;
import java.util.List;

/** Device memory that one owner allocated and frees together. */
final class DeviceAllocations implements AutoCloseable
{
    private final CudaDriver driver;
    private final List<DeviceMemory> ranges = new ArrayList<>();

    DeviceAllocations(final CudaDriver driver)
    {
        this.driver = driver;
    }

    DeviceMemory allocate(final long bytes)
    {
        final DeviceMemory range = driver.allocate(bytes);
        ranges.add(range);
        return range;
    }

    @Override
    public void close()
    {
        for (int i = ranges.size() - 1; i >= 0; i--)
        {
            driver.free(ranges.remove(i));
        }
    }
}
