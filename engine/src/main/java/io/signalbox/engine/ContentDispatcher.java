// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.engine.request.LiveRequests;
import io.signalbox.engine.step.LaunchedSteps;
import io.signalbox.engine.step.StepFlights;
import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.SubmitDecoder;

/** Dispatcher of a backend that reads the content of requests, which it folds from the track and adds to each plan. */
final class ContentDispatcher extends Dispatcher
{
    private final LiveRequests requests = new LiveRequests();

    ContentDispatcher(
        final Backend backend, final LaunchedSteps launches, final StepFlights flights, final RankResets resets)
    {
        super(backend, launches, flights, resets, SubmitDecoder.TEMPLATE_ID, AcceptedDecoder.TEMPLATE_ID,
            RefusedDecoder.TEMPLATE_ID, RequeuedDecoder.TEMPLATE_ID, FreeDecoder.TEMPLATE_ID);
    }

    @Override
    protected void onSubmit(final SubmitDecoder submit)
    {
        requests.submit(submit);
    }

    @Override
    protected void onAccepted(final AcceptedDecoder accepted)
    {
        requests.accept(accepted.requestId());
    }

    @Override
    protected void onRefused(final RefusedDecoder refused)
    {
        requests.refuse();
    }

    /** Ahead of the backend, which reads block tables with this step's changes. */
    @Override
    protected void onSchedule(final StepView step)
    {
        requests.schedule(step);
        super.onSchedule(step.with(requests));
    }

    @Override
    protected void onRequeued(final RequeuedDecoder requeued)
    {
        requests.requeue(requeued.requestId());
    }

    @Override
    protected void onFree(final FreeDecoder free)
    {
        requests.free(free.requestId());
    }

    @Override
    protected void onCommit(final CommitView commit)
    {
        super.onCommit(commit);
        requests.commit(commit);
    }
}
