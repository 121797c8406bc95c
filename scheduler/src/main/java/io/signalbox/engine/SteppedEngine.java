// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;

/** The engine without threads. Skeleton signature. */
public final class SteppedEngine implements Engine
{
    public SteppedEngine(
        final SchedulerConfig config, final Backend backend, final GroupJournal journal, final GroupListener listener)
    {
    }

    @Override
    public void offer(final DirectBuffer input, final int offset, final int length, final CaptureSlice rows)
    {
    }

    @Override
    public void awaitProcessed()
    {
    }

    @Override
    public void close()
    {
    }
}
