// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;
import org.agrona.DirectBuffer;

/** Gives the backend every step plan of a group, every step to abort because it was withdrawn, and new weights. */
final class Dispatcher extends EventReader
{
    private final Backend backend;
    private final LaunchedSteps launches;

    Dispatcher(final Backend backend, final LaunchedSteps launches)
    {
        this.backend = backend;
        this.launches = launches;
    }

    void dispatch(final DirectBuffer group, final int offset, final int length)
    {
        readGroup(group, offset, length);
    }

    @Override
    protected void onSchedule(final StepView step)
    {
        launches.launched(step);
        backend.submit(step);
    }

    /** Ahead of the first step that is computed with them, since the scheduler says so before it plans one. */
    @Override
    protected void onNewWeights(final NewWeightsDecoder weights)
    {
        backend.newWeights(weights.weightGeneration());
    }

    /** The result need not have come through the sink: an input may also be offered to the engine itself. */
    @Override
    protected void onCommit(final CommitView commit)
    {
        launches.landed(commit.rank(), commit.step());
    }

    @Override
    protected void onWithdrawn(final WithdrawnDecoder withdrawn)
    {
        launches.withdrawn(withdrawn.rank(), withdrawn.step());
        backend.abort(withdrawn.rank(), withdrawn.step());
    }
}
