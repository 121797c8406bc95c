// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.experts.ModelShape;

/** Takes plans and never reports: completions come from a recording, or not at all. */
final class SilentBackend implements Backend
{
    private int submitted;
    private boolean closed;

    @Override
    public BackendCapabilities capabilities()
    {
        return new BackendCapabilities("silent", true, false);
    }

    @Override
    public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
    {
    }

    @Override
    public void submit(final ScheduleDecoder plan)
    {
        submitted++;
    }

    int submitted()
    {
        return submitted;
    }

    boolean isClosed()
    {
        return closed;
    }

    @Override
    public void abort(final int rank, final long step)
    {
    }

    @Override
    public void close()
    {
        closed = true;
    }
}
