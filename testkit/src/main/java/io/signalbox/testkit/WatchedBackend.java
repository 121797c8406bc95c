// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.RankSizes;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

/** Between an engine and a backend under test: notes every plan, and gives the backend a sink that checks. */
final class WatchedBackend implements Backend
{
    private final Backend backend;
    private final WatchedReports reports;

    WatchedBackend(final Backend backend, final WatchedReports reports)
    {
        this.backend = backend;
        this.reports = reports;
    }

    @Override
    public BackendCapabilities capabilities()
    {
        return backend.capabilities();
    }

    @Override
    public void sizes(final RankSizes sizes)
    {
        backend.sizes(sizes);
    }

    @Override
    public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
    {
        reports.start(ranks, shape, completions);
        backend.start(ranks, shape, reports);
    }

    @Override
    public void submit(final StepView plan)
    {
        reports.submitting(PlanCopy.of(plan));
        backend.submit(plan);
        reports.submitted();
    }

    @Override
    public void abort(final int rank, final long step)
    {
        reports.aborted(rank, step);
        backend.abort(rank, step);
    }

    @Override
    public void expectWeights(final String version)
    {
        backend.expectWeights(version);
    }

    @Override
    public void newWeights(final int generation, final String version)
    {
        backend.newWeights(generation, version);
    }

    @Override
    public boolean reset(final int rank)
    {
        return backend.reset(rank);
    }

    @Override
    public long stepTimeoutNanos()
    {
        return backend.stepTimeoutNanos();
    }

    @Override
    public long closeTimeoutNanos()
    {
        return backend.closeTimeoutNanos();
    }

    @Override
    public void close()
    {
        reports.closing();
        backend.close();
        reports.closed();
    }
}
