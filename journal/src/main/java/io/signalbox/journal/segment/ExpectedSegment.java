// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/** The next segment, which a thread creates before it is needed. Its other calls come from the thread that writes. */
final class ExpectedSegment
{
    private final int number;
    private final FutureTask<ChronicleSegment> creation;

    ExpectedSegment(final int number, final Supplier<ChronicleSegment> create)
    {
        this.number = number;
        creation = new FutureTask<>(create::get);
        final Thread thread = new Thread(creation, "signalbox-journal-next");
        thread.setDaemon(true);
        thread.start();
    }

    int number()
    {
        return number;
    }

    /** Waits for the segment; {@code null} if it could not be created, which a second attempt may explain. */
    ChronicleSegment orNull()
    {
        boolean isInterrupted = false;
        try
        {
            while (true)
            {
                try
                {
                    return creation.get();
                }
                catch (final InterruptedException e)
                {
                    isInterrupted = true;
                }
            }
        }
        catch (final ExecutionException e)
        {
            return null;
        }
        finally
        {
            if (isInterrupted)
            {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits for the segment and closes it; returns whether it was created. */
    boolean close()
    {
        final ChronicleSegment segment = orNull();
        if (segment != null)
        {
            segment.close();
        }
        return segment != null;
    }
}
