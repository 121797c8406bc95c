// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.engine.step.LaunchedSteps;
import io.signalbox.engine.step.Stalls;
import io.signalbox.engine.step.StepFlights;
import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.CommitDecoder;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.event.codec.WithdrawalCause;
import io.signalbox.event.codec.WithdrawnDecoder;
import org.agrona.DirectBuffer;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Gives every step plan of a group to the backend, and tells it to abort a step that was withdrawn, and of new weights.
 */
class Dispatcher extends EventReader
{
    private static final int[] READ = {
        BackendResetDecoder.TEMPLATE_ID, ScheduleDecoder.TEMPLATE_ID, CommitDecoder.TEMPLATE_ID,
        NewWeightsDecoder.TEMPLATE_ID, WithdrawnDecoder.TEMPLATE_ID};

    private final Backend backend;
    private final LaunchedSteps launches;
    private final StepFlights flights;
    private final Stalls stalls = new Stalls("backend");
    private final RankResets resets;
    private int lostRank;
    private int lostEpoch;
    private boolean replays;
    private boolean restarts;
    private int lastEpoch;
    private int weightGeneration;
    private String weightVersion = "";

    /** @param alsoRead template ids of further messages that a subclass reads. */
    Dispatcher(
        final Backend backend,
        final LaunchedSteps launches,
        final StepFlights flights,
        final RankResets resets,
        final int... alsoRead)
    {
        super(IntStream.concat(IntStream.of(READ), IntStream.of(alsoRead)).toArray());
        this.flights = flights;
        this.resets = resets;
        this.backend = backend;
        this.launches = launches;
    }

    static Dispatcher of(
        final Backend backend, final LaunchedSteps launches, final StepFlights flights, final RankResets resets)
    {
        return backend.capabilities().readsTokens() ? new ContentDispatcher(backend, launches, flights, resets) :
            new Dispatcher(backend, launches, flights, resets);
    }

    final void dispatch(final DirectBuffer group, final int offset, final int length)
    {
        lostRank = RankResets.NO_RANK;
        restarts = false;
        readGroup(group, offset, length);
        if (lostRank != RankResets.NO_RANK)
        {
            // One input loses one rank, whose steps are all aborted by now.
            resets.lost(lostRank, lostEpoch);
        }
    }

    /** Follows a group of an earlier engine: this one's backend was not given it. */
    final void replay(final DirectBuffer group, final int offset, final int length)
    {
        replays = true;
        readGroup(group, offset, length);
        replays = false;
    }

    /** Highest epoch of any rank. */
    final int lastEpoch()
    {
        return lastEpoch;
    }

    /**
     * Gives the backend the weights of the groups that were replayed.
     *
     * @param awaited versions that were announced and come once the requests that have begun have ended.
     * @throws ConfigException if the backend does not have them.
     */
    final void beginWithWeights(final List<String> awaited)
    {
        if (weightGeneration > 0)
        {
            expect(weightVersion, "the weights of generation " + weightGeneration);
            backend.newWeights(weightGeneration, weightVersion);
        }
        awaited.forEach(version -> expect(version, "announced weights that wait for the end of requests"));
    }

    private void expect(final String version, final String what)
    {
        try
        {
            backend.expectWeights(version);
        }
        catch (final IllegalArgumentException e)
        {
            throw new ConfigException("the run continues with " + what + ", and " + e.getMessage() + ".");
        }
    }

    @Override
    protected void onBackendReset(final BackendResetDecoder reset)
    {
        restarts = reset.restart() == Flag.YES;
        lastEpoch = Math.max(lastEpoch, reset.newEpoch());
    }

    @Override
    protected void onSchedule(final StepView step)
    {
        launches.launched(step);
        if (!replays)
        {
            flights.launched(step);
            stalls.begin();
            backend.submit(step);
            stalls.end();
        }
    }

    /** Ahead of the first step that is computed with them, since the scheduler says so before it plans one. */
    @Override
    protected void onNewWeights(final NewWeightsDecoder weights)
    {
        weightGeneration = weights.weightGeneration();
        weightVersion = weights.version();
        if (!replays)
        {
            backend.newWeights(weightGeneration, weightVersion);
        }
    }

    /** The result need not have come through the sink: an input may also be offered to the engine itself. */
    @Override
    protected void onCommit(final CommitView commit)
    {
        final int rank = commit.rank();
        final long step = commit.step();
        launches.landed(rank, step);
        flights.landed(rank, step);
        resets.worked(rank);
    }

    /** The backend was never given a step that a restart withdraws. */
    @Override
    protected void onWithdrawn(final WithdrawnDecoder withdrawn)
    {
        launches.withdrawn(withdrawn.rank(), withdrawn.step());
        flights.withdrawn(withdrawn.rank(), withdrawn.step());
        if (!replays && !restarts)
        {
            backend.abort(withdrawn.rank(), withdrawn.step());
        }
        final WithdrawalCause cause = withdrawn.cause();
        if (cause == WithdrawalCause.RANK_LOST || cause == WithdrawalCause.TIMED_OUT)
        {
            lostRank = withdrawn.rank();
            lostEpoch = withdrawn.epoch();
        }
    }
}
