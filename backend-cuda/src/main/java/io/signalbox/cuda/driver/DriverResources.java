// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import io.signalbox.cuda.driver.CudaDriver.Event;
import io.signalbox.cuda.driver.CudaDriver.Graph;
import io.signalbox.cuda.driver.CudaDriver.Stream;

import java.util.ArrayDeque;
import java.util.Deque;

/** What one owner takes from the driver, to be given back in the opposite order, all of it even where giving back fails. */
public class DriverResources implements AutoCloseable
{
    private final CudaDriver driver;
    private final Deque<Runnable> returns = new ArrayDeque<>();

    public DriverResources(final CudaDriver driver)
    {
        this.driver = driver;
    }

    public final DeviceMemory device(final long bytes)
    {
        final DeviceMemory memory = driver.allocate(bytes);
        returns.push(() -> driver.free(memory));
        return memory;
    }

    public final PinnedMemory pinned(final long bytes)
    {
        final PinnedMemory memory = driver.allocatePinned(bytes);
        returns.push(() -> driver.free(memory));
        return memory;
    }

    /** @param name what errors of its calls say. */
    public final Stream stream(final String name)
    {
        final Stream stream = driver.createStream(name);
        returns.push(() -> driver.destroy(stream));
        return stream;
    }

    public final Event event()
    {
        return owned(driver.createEvent());
    }

    public final Event timedEvent()
    {
        return owned(driver.createTimedEvent());
    }

    private Event owned(final Event event)
    {
        returns.push(() -> driver.destroy(event));
        return event;
    }

    public final Graph owned(final Graph graph)
    {
        returns.push(() -> driver.destroy(graph));
        return graph;
    }

    /** Runs before what was taken earlier is given back. */
    public final void beforeThat(final Runnable action)
    {
        returns.push(action);
    }

    /** Throws the first failure, the later ones suppressed in it; a second call does nothing. */
    @Override
    public void close()
    {
        RuntimeException failure = null;
        while (!returns.isEmpty())
        {
            try
            {
                returns.pop().run();
            }
            catch (final RuntimeException e)
            {
                failure = first(failure, e);
            }
        }
        if (failure != null)
        {
            throw failure;
        }
    }

    /** Gives everything back because of a failure, which stays the one that counts. */
    public final void closeAfter(final Throwable failure)
    {
        try
        {
            close();
        }
        catch (final RuntimeException e)
        {
            failure.addSuppressed(e);
        }
    }

    private static RuntimeException first(final RuntimeException failure, final RuntimeException next)
    {
        if (failure == null)
        {
            return next;
        }
        failure.addSuppressed(next);
        return failure;
    }
}
