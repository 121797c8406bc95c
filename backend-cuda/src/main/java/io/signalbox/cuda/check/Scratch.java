// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.PinnedMemory;

import java.util.ArrayDeque;
import java.util.Deque;

/** What a section takes from the device, given back at its end, last taken first. */
final class Scratch implements AutoCloseable
{
    private final CudaDriver driver;
    private final Deque<Runnable> releases = new ArrayDeque<>();

    Scratch(final CudaDriver driver)
    {
        this.driver = driver;
    }

    DeviceMemory device(final long bytes)
    {
        final DeviceMemory memory = driver.allocate(bytes);
        releases.push(() -> driver.free(memory));
        return memory;
    }

    PinnedMemory pinned(final long bytes)
    {
        final PinnedMemory memory = driver.allocatePinned(bytes);
        releases.push(() -> driver.free(memory));
        return memory;
    }

    /** @param name for errors. */
    CudaDriver.Stream stream(final String name)
    {
        final CudaDriver.Stream stream = driver.createStream(name);
        releases.push(() -> driver.destroy(stream));
        return stream;
    }

    CudaDriver.Event event()
    {
        return owned(driver.createEvent());
    }

    CudaDriver.Event timedEvent()
    {
        return owned(driver.createTimedEvent());
    }

    private CudaDriver.Event owned(final CudaDriver.Event event)
    {
        releases.push(() -> driver.destroy(event));
        return event;
    }

    CudaDriver.Graph owned(final CudaDriver.Graph graph)
    {
        releases.push(() -> driver.destroy(graph));
        return graph;
    }

    /** Work that was launched may still use what is given back. */
    @Override
    public void close()
    {
        RuntimeException first = null;
        releases.push(driver::synchronizeContext);
        while (!releases.isEmpty())
        {
            try
            {
                releases.pop().run();
            }
            catch (final RuntimeException e)
            {
                first = first == null ? e : first;
            }
        }
        if (first != null)
        {
            throw first;
        }
    }
}
