// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

/** A backend that reads no tokens; nobody may start it. */
final class Tokenless implements Backend
{
    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("tokenless").capturesExperts(true).build();
    }

    @Override
    public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
    {
        throw new AssertionError("started");
    }

    @Override
    public void submit(final StepView step)
    {
        throw new AssertionError("given a step");
    }

    @Override
    public void abort(final int rank, final long step)
    {
        throw new AssertionError("aborted");
    }

    @Override
    public void close()
    {
        // Nothing was started.
    }
}
