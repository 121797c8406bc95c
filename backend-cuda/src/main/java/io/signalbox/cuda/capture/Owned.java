// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** What was taken, to be given back in the opposite order, all of it even where giving back fails. */
final class Owned implements AutoCloseable
{
    private final Deque<Runnable> returns = new ArrayDeque<>();

    <T> T add(final T taken, final Consumer<T> giveBack)
    {
        returns.push(() -> giveBack.accept(taken));
        return taken;
    }

    /** Runs before what was added earlier is given back. */
    void beforeThat(final Runnable action)
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
    void closeAfter(final Throwable failure)
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
