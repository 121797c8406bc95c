// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.backend.Backend;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.ForwardingBackend;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

/** Between an engine and a backend under test: notes every plan, and gives the backend a sink that checks. */
final class WatchedBackend extends ForwardingBackend
{
    private final WatchedReports reports;

    WatchedBackend(final Backend backend, final WatchedReports reports)
    {
        super(backend);
        this.reports = reports;
    }

    @Override
    public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
    {
        reports.start(ranks, shape, completions);
        super.start(ranks, shape, reports);
    }

    @Override
    public void submit(final StepView plan)
    {
        reports.submitting(PlanCopy.of(plan));
        super.submit(plan);
        reports.submitted();
    }

    @Override
    public void abort(final int rank, final long step)
    {
        reports.aborted(rank, step);
        super.abort(rank, step);
    }

    @Override
    public void close()
    {
        reports.closing();
        super.close();
        reports.closed();
    }
}
