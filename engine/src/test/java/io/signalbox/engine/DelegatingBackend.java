// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

/** A scripted backend with a hook before each call. */
abstract class DelegatingBackend implements Backend
{
    final ScriptedBackend scripted = new ScriptedBackend();

    abstract void beforeSubmit();

    @Override
    public BackendCapabilities capabilities()
    {
        return scripted.capabilities();
    }

    @Override
    public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
    {
        scripted.start(ranks, shape, completions);
    }

    @Override
    public void submit(final StepView plan)
    {
        beforeSubmit();
        scripted.submit(plan);
    }

    @Override
    public void abort(final int rank, final long step)
    {
        scripted.abort(rank, step);
    }

    @Override
    public void close()
    {
        scripted.close();
    }
}
