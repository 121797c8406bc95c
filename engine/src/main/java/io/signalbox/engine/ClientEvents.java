// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.ring.AnnouncedWeights;
import io.signalbox.engine.ring.ClientCredits;
import io.signalbox.engine.ring.Pace;
import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.CancelDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;

import java.util.function.LongSupplier;

/** Reads the groups of the engine for a client: returns credits, makes tokens visible, completes handles. */
final class ClientEvents extends EventReader
{
    private final ClientCredits credits;
    private final OpenHandles handles;
    private final RowRoom rowRoom;
    private final AnnouncedWeights weights;
    private final FailedSteps failedSteps;
    private final LongSupplier clock;
    private final int blockSizeTokens;
    /** Between inputs of clients. */
    private final Pace inputs = new Pace();
    /** Between ends of requests. */
    private final Pace ends = new Pace();
    private volatile int weightGeneration;

    ClientEvents(
        final ClientCredits credits,
        final OpenHandles handles,
        final RowRoom rowRoom,
        final AnnouncedWeights weights,
        final FailedSteps failedSteps,
        final LongSupplier clock,
        final int blockSizeTokens)
    {
        this.weights = weights;
        this.failedSteps = failedSteps;
        this.credits = credits;
        this.handles = handles;
        this.rowRoom = rowRoom;
        this.clock = clock;
        this.blockSizeTokens = blockSizeTokens;
    }

    /** The engine continues a run that had come to this generation of the weights. */
    void continueAt(final int generation)
    {
        weightGeneration = generation;
    }

    /** Generation of the newest weights that have come. */
    int weightGeneration()
    {
        return weightGeneration;
    }

    /** An estimate of the time until so many further inputs of clients have passed. */
    long nanosUntilInputs(final int count)
    {
        return inputs.nanosUntil(count);
    }

    @Override
    protected void onSubmit(final SubmitDecoder message)
    {
        inputs.event(message.timeNanos());
        credits.passed(message.requestId());
    }

    @Override
    protected void onCancel(final CancelDecoder message)
    {
        credits.passed(message.requestId());
    }

    @Override
    protected void onControl(final ControlDecoder message)
    {
        if (isOfClient(message))
        {
            credits.passed(message.requestId());
        }
        if (message.kind() == ControlKind.NEW_WEIGHTS)
        {
            weights.announced();
        }
        if (message.kind() == ControlKind.RELEASE_ROWS)
        {
            rowRoom.free(message.requestId());
        }
    }

    /**
     * The engine itself writes notes that name no request and, with a note, releases of rows that nobody took: these took no
     * credit.
     */
    private static boolean isOfClient(final ControlDecoder message)
    {
        return (message.kind() != ControlKind.NOTE || message.requestId() >= 0) &&
            (message.kind() != ControlKind.RELEASE_ROWS || message.noteLength() == 0);
    }

    @Override
    protected void onNewWeights(final NewWeightsDecoder message)
    {
        weightGeneration = message.weightGeneration();
        weights.replaced(weightGeneration);
    }

    @Override
    protected void onBackendFault(final BackendFaultDecoder message)
    {
        failedSteps.onBackendFault(message);
    }

    @Override
    protected void onStepTimedOut(final StepTimedOutDecoder message)
    {
        failedSteps.onStepTimedOut(message);
    }

    @Override
    protected void onWithdrawn(final WithdrawnDecoder message)
    {
        failedSteps.onWithdrawn(message);
    }

    @Override
    protected void onSchedule(final StepView step)
    {
        weights.planned(step.weightGeneration());
        for (int i = 0; i < step.admittedCount(); i++)
        {
            final CompletionHandle handle = step.isResumed(i) ? null : handles.find(step.admittedRequestId(i));
            if (handle != null)
            {
                handle.admitted(step.matchedBlocks(i) * blockSizeTokens);
            }
        }
    }

    @Override
    protected void onCommit(final CommitView commit)
    {
        int token = 0;
        for (int entry = 0; entry < commit.entryCount(); entry++)
        {
            final int emitted = commit.emitted(entry);
            final CompletionHandle handle = emitted == 0 ? null : handles.find(commit.requestId(entry));
            for (int i = 0; i < emitted && handle != null; i++)
            {
                handle.emitted(commit.token(token + i), commit.logprob(token + i));
            }
            if (handle != null)
            {
                handle.visible();
            }
            token += emitted;
        }
    }

    @Override
    protected void onFree(final FreeDecoder message)
    {
        final CompletionHandle handle = handles.find(message.requestId());
        if (handle != null)
        {
            ends.event(clock.getAsLong());
            handle.freed(RequestEnd.of(message));
            // Not before: a handle that could not be completed must fail with the engine.
            handles.remove(message.requestId());
        }
    }

    @Override
    protected void onRefused(final RefusedDecoder message)
    {
        final CompletionHandle handle = handles.find(message.requestId());
        if (handle != null)
        {
            rowRoom.free(message.requestId());
            handle.refused(Refusal.of(message.reason(), ends.nanosUntil(1)));
            handles.remove(message.requestId());
        }
    }
}
