// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

/** Takes plans and never reports: completions come from a recording, or not at all. */
final class SilentBackend implements Backend
{
    private final int depth;
    private volatile int submitted;
    private volatile long lastAborted = -1;
    private volatile boolean closed;

    SilentBackend()
    {
        this(1);
    }

    /** @param depth steps of a rank that it takes. */
    SilentBackend(final int depth)
    {
        this.depth = depth;
    }

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("silent").capturesExperts(true).depth(depth).build();
    }

    @Override
    public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
    {
    }

    @Override
    public void submit(final StepView plan)
    {
        submitted = submitted + 1;
    }

    /** The step that the engine gave up last, or -1. */
    long lastAborted()
    {
        return lastAborted;
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
        lastAborted = step;
    }

    @Override
    public void close()
    {
        closed = true;
    }
}
