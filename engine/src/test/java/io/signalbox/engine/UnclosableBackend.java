// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

/** Reports nothing, and fails when it is closed. */
final class UnclosableBackend implements Backend
{
    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("unclosable").capturesExperts(true).build();
    }

    @Override
    public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
    {
    }

    @Override
    public void submit(final StepView plan)
    {
    }

    @Override
    public void abort(final int rank, final long step)
    {
    }

    @Override
    public void close()
    {
        throw new IllegalStateException("the device is gone");
    }
}
