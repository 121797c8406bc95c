// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import io.signalbox.cuda.driver.CudaDriver.Event;
import io.signalbox.cuda.driver.CudaDriver.Graph;
import io.signalbox.cuda.driver.CudaDriver.Stream;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Everything that one owner takes from the driver. It is given back in the opposite order, all of it even if a part cannot
 * be; but none of it while a stream that may use it still has work.
 */
public class DriverResources implements AutoCloseable
{
    private final CudaDriver driver;
    private final Deque<Runnable> returns = new ArrayDeque<>();
    private final List<Stream> awaited = new ArrayList<>();

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
        return owned(driver.createStream(name));
    }

    /** A stream whose work goes first; as {@link #stream}. */
    public final Stream urgentStream(final String name)
    {
        return owned(driver.createUrgentStream(name));
    }

    private Stream owned(final Stream stream)
    {
        returns.push(() -> driver.destroy(stream));
        awaited.add(stream);
        return stream;
    }

    /** A stream of another owner that uses what is taken here: nothing is given back before its work is done. */
    public final void usedBy(final Stream stream)
    {
        awaited.add(stream);
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

    /**
     * Throws the first failure, the later ones suppressed in it; a second call does nothing.
     *
     * @throws DeviceStuckException if a stream still has work after the limit; then nothing is given back, now or later.
     */
    @Override
    public void close()
    {
        RuntimeException failure = awaitStreams();
        while (!returns.isEmpty())
        {
            failure = attempt(failure, returns.pop());
        }
        if (failure != null)
        {
            throw failure;
        }
    }

    private RuntimeException awaitStreams()
    {
        RuntimeException failure = null;
        try
        {
            for (final Stream stream : awaited)
            {
                failure = attempt(failure, () -> StreamWait.await(driver, stream));
            }
        }
        catch (final DeviceStuckException e)
        {
            returns.clear();
            throw e;
        }
        finally
        {
            awaited.clear();
        }
        return failure;
    }

    private static RuntimeException attempt(final RuntimeException failure, final Runnable action)
    {
        try
        {
            action.run();
            return failure;
        }
        catch (final DeviceStuckException e)
        {
            throw e;
        }
        catch (final RuntimeException e)
        {
            return first(failure, e);
        }
    }

    /** Gives everything back because of a failure, which stays the one that counts; nothing if the device is stuck. */
    public final void closeAfter(final Throwable failure)
    {
        if (!DeviceStuckException.permitsFreeing(failure))
        {
            awaited.clear();
            returns.clear();
            return;
        }
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
