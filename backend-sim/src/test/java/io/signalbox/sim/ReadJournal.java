// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import io.signalbox.event.EventReader;
import org.agrona.DirectBuffer;

/** A journal of tests that reads each group and keeps none. A run that uses it must not fail. */
abstract class ReadJournal extends EventReader implements GroupJournal
{
    @Override
    public final void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        readGroup(group, offset, length);
    }

    @Override
    public final void endOfBatch()
    {
    }

    @Override
    public final void cutShort()
    {
        throw new AssertionError("the run failed");
    }

    @Override
    public final void close()
    {
    }
}
