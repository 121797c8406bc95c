// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.InvariantViolation;
import io.signalbox.engine.Engine;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.workload.VirtualTime;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.agrona.collections.IntArrayList;
import org.agrona.collections.LongArrayList;

import java.util.Arrays;
import java.util.List;

/**
 * Merges arrivals, follow-ups, cancels and backend events into one order of inputs (see {@link EventPhase}) and lets
 * virtual time jump from one to the next.
 *
 * <p>The order is the same for every kind of engine, because the driver decides on what comes next only when the
 * engine is quiet: after each input that can make a plan or end a request it waits. A Forward or a release of rows
 * decides nothing, and a Submit can only be refused, which matters first when a cancel is due; after these it continues.
 */
final class SimulationDriver
{
    private static final int NONE = -1;
    private static final int MAX_NAMED = 10;

    private enum RequestStage
    {
        NOT_SUBMITTED, ALIVE, ENDED, NEVER_SUBMITTED
    }

    private final Engine engine;
    private final SimulatedBackend backend;
    private final RequestEnds ends;
    private final SimulationProgress progress;
    /** Null if nothing goes wrong. */
    private final FaultWatch faults;
    private final Workload workload;
    private final List<WorkloadRequest> requests;
    private final Submits submits;
    /** Whether something happens by itself: a timeout or a deadline. */
    private final boolean hasTimers;
    private final List<WeightsPlan.Change> newWeights;
    private final InputWriter inputs = new InputWriter();
    private final EventQueue clients;
    private final RequestStage[] states;
    private final int[] firstFollower;
    private final int[] nextFollower;
    private final Sessions sessions;
    private long nowNanos;
    /** When a rank whose steps failed is to be woken. */
    private long tickNanos = EventQueue.NEVER;
    private int settled;
    private boolean wakeNeeded;
    private boolean engineMayBeBusy;

    SimulationDriver(
        final Engine engine,
        final SimulatedBackend backend,
        final RequestEnds ends,
        final Workload workload,
        final Submits submits,
        final FaultWatch faults,
        final WeightsPlan weights,
        final SimulationProgress progress)
    {
        this.engine = engine;
        this.backend = backend;
        this.ends = ends;
        this.progress = progress;
        this.faults = faults;
        this.submits = submits;
        this.workload = workload;
        requests = workload.requests();
        clients = new EventQueue(requests.size() + 1);
        states = new RequestStage[requests.size()];
        firstFollower = new int[requests.size()];
        nextFollower = new int[requests.size()];
        Arrays.fill(states, RequestStage.NOT_SUBMITTED);
        Arrays.fill(firstFollower, NONE);
        for (int index = requests.size() - 1; index >= 0; index--)
        {
            addArrival(index);
        }
        newWeights = weights == null ? List.of() : weights.changes();
        for (int index = 0; index < newWeights.size(); index++)
        {
            clients.add(newWeights.get(index).atNanos(), EventPhase.NEW_WEIGHTS, index, 0);
        }
        sessions = new Sessions(workload);
        hasTimers = faults != null || workload.recorded() != null && workload.recorded().hasDeadlines();
    }

    private void addArrival(final int index)
    {
        final WorkloadRequest request = requests.get(index);
        if (request.predecessorId() == NONE && request.arrivalNanos() == NONE)
        {
            // Starts when a client becomes free.
            return;
        }
        if (request.predecessorId() == NONE)
        {
            clients.add(request.arrivalNanos(), EventPhase.SUBMIT, index, 0);
            return;
        }
        if (request.predecessorId() >= request.requestId())
        {
            throw new InvariantViolation("request " + request.requestId() + " follows request " + request.predecessorId() +
                ", but a predecessor comes first in its workload");
        }
        final int predecessor = workload.indexOf(request.predecessorId());
        nextFollower[index] = firstFollower[predecessor];
        firstFollower[predecessor] = index;
    }

    /** Returns the time of the last input, once every request has ended. */
    long run()
    {
        while (true)
        {
            final long timerNanos = hasTimers ? timerNanos() : EventQueue.NEVER;
            final long backendNanos = backend.nextNanos();
            final long nextNanos = Math.min(backendNanos, clients.nextNanos());
            if (wakeNeeded && nextNanos > nowNanos)
            {
                wake();
            }
            else if (timerNanos < nextNanos)
            {
                fireTimer(timerNanos);
            }
            else if (nextNanos == EventQueue.NEVER)
            {
                break;
            }
            else
            {
                nowNanos = nextNanos;
                // Backend phases come before client phases.
                fire(backendNanos == nextNanos);
            }
        }
        settle();
        if (settled != requests.size())
        {
            throw stalled();
        }
        return nowNanos;
    }

    /** When the next timer is due; none is once every request has ended. */
    private long timerNanos()
    {
        settle();
        // A rank's rest also ends with the next input, which need not plan: the Tick is due all the same.
        tickNanos = Math.min(tickNanos, engine.nextTickNanos());
        return settled == requests.size() ? EventQueue.NEVER : Math.min(tickNanos, nextFaultNanos());
    }

    private long nextFaultNanos()
    {
        return faults == null ? EventQueue.NEVER : faults.nextNanos();
    }

    private void fireTimer(final long timerNanos)
    {
        if (timerNanos > VirtualTime.MAX_NANOS)
        {
            throw VirtualTime.past("a timer would fire", "shorten the durations of the fault plan, or the deadlines");
        }
        nowNanos = Math.max(nowNanos, timerNanos);
        if (nextFaultNanos() > nowNanos)
        {
            tickNanos = EventQueue.NEVER;
            inputs.tick().timeNanos(nowNanos);
        }
        else
        {
            final int reset = faults.writeDue(inputs, nowNanos);
            if (reset != FaultWatch.NO_RANK)
            {
                backend.now(nowNanos);
                backend.restart(reset);
            }
        }
        offer();
        settle();
    }

    private void fire(final boolean fromBackend)
    {
        if (fromBackend)
        {
            backend.now(nowNanos);
            engineMayBeBusy = true;
            if (backend.fireNext())
            {
                settle();
            }
            return;
        }
        final int index = clients.nextIdentity();
        final int phase = clients.nextPhase();
        clients.removeNext();
        switch (phase)
        {
            case EventPhase.SUBMIT -> submit(index);
            case EventPhase.CANCEL -> cancel(index);
            case EventPhase.NEW_WEIGHTS -> newWeights(index);
            default -> releaseRows(index);
        }
    }

    private void submit(final int index)
    {
        final WorkloadRequest request = requests.get(index);
        submits.write(inputs, request, nowNanos);
        states[index] = RequestStage.ALIVE;
        offer();
        wakeNeeded = true;
        if (request.cancelAfterNanos() >= 0)
        {
            if (VirtualTime.isPast(nowNanos, request.cancelAfterNanos()))
            {
                throw VirtualTime.past(workload.placeOf(request) + " would be cancelled", "shorten the time to cancel");
            }
            clients.add(nowNanos + request.cancelAfterNanos(), EventPhase.CANCEL, index, 0);
        }
    }

    private void cancel(final int index)
    {
        settle();
        if (states[index] == RequestStage.ALIVE)
        {
            inputs.cancel().timeNanos(nowNanos).requestId(requests.get(index).requestId())
                .answerTokens(requests.get(index).answerTokens());
            offer();
            wakeNeeded = true;
            settle();
        }
    }

    /** Once every request has ended, new weights would only lengthen the run. */
    private void newWeights(final int index)
    {
        settle();
        if (settled < requests.size())
        {
            inputs.control().timeNanos(nowNanos).requestId(-1).kind(ControlKind.NEW_WEIGHTS)
                .way(newWeights.get(index).way()).note("");
            offer();
            wakeNeeded = true;
            settle();
        }
    }

    /** A client that wants rows takes them when its request has ended; the engine keeps them until told so. */
    private void releaseRows(final int index)
    {
        inputs.control()
            .timeNanos(nowNanos)
            .requestId(requests.get(index).requestId())
            .kind(ControlKind.RELEASE_ROWS)
            .note("");
        offer();
    }

    private void wake()
    {
        wakeNeeded = false;
        if (backend.anyRankHasRoom())
        {
            inputs.wake().timeNanos(nowNanos);
            offer();
            settle();
        }
    }

    private void offer()
    {
        backend.now(nowNanos);
        engineMayBeBusy = true;
        engine.offer(inputs.buffer(), 0, inputs.length(), null);
    }

    /** Waits until the engine is quiet and takes note of every request that has ended since. */
    private void settle()
    {
        if (engineMayBeBusy)
        {
            engine.awaitProcessed();
            engineMayBeBusy = false;
        }
        final LongArrayList pending = ends.pending();
        for (int i = 0; i < pending.size(); i++)
        {
            onEnd(pending.getLong(i));
        }
        pending.clear();
    }

    private void onEnd(final long signedId)
    {
        final boolean completed = signedId > 0;
        final long requestId = Math.abs(signedId);
        final int index = workload.indexOf(requestId);
        if (index == NONE)
        {
            throw new InvariantViolation("request " + requestId + " ended, but the workload has no such request");
        }
        if (states[index] != RequestStage.ALIVE)
        {
            throw new InvariantViolation("request " + requestId + " ended, but it was " + states[index]);
        }
        states[index] = RequestStage.ENDED;
        settled++;
        if (submits.wantsRows())
        {
            clients.add(nowNanos, EventPhase.RELEASE_ROWS, index, 0);
        }
        startNext(index);
        for (int next = firstFollower[index]; next != NONE; next = nextFollower[next])
        {
            if (completed)
            {
                submitLater(next);
            }
            else
            {
                neverSubmit(next);
            }
        }
        progress.onProgress(settled, requests.size(), nowNanos);
    }

    /** When everything of a client has ended, the client starts the next session. */
    private void startNext(final int settledIndex)
    {
        final int next = sessions.settle(settledIndex);
        if (next != Sessions.NONE)
        {
            submitLater(next);
        }
    }

    private void submitLater(final int index)
    {
        final WorkloadRequest request = requests.get(index);
        if (VirtualTime.isPast(nowNanos, request.thinkTimeNanos()))
        {
            throw VirtualTime.past(workload.placeOf(request) + " would be submitted", "shorten arrivals and think times");
        }
        clients.add(nowNanos + request.thinkTimeNanos(), EventPhase.SUBMIT, index, 0);
    }

    /** Who gave up on a turn, or was refused one, asks no further question; neither do those who wait for it. */
    private void neverSubmit(final int first)
    {
        final IntArrayList waiting = new IntArrayList();
        waiting.addInt(first);
        while (!waiting.isEmpty())
        {
            final int index = waiting.removeAt(waiting.size() - 1);
            states[index] = RequestStage.NEVER_SUBMITTED;
            settled++;
            startNext(index);
            for (int next = firstFollower[index]; next != NONE; next = nextFollower[next])
            {
                waiting.addInt(next);
            }
        }
    }

    private InvariantViolation stalled()
    {
        final StringBuilder ids = new StringBuilder();
        int named = 0;
        int alive = 0;
        for (int index = 0; index < states.length; index++)
        {
            if (states[index] == RequestStage.ALIVE && alive++ < MAX_NAMED)
            {
                ids.append(named++ == 0 ? "" : ", ").append(requests.get(index).requestId());
            }
        }
        return new InvariantViolation("the simulation stalls at " + nowNanos + " ns: " + alive +
            " requests are alive and nothing is left that could happen; requests " + ids + (alive > named ? ", ..." : ""));
    }
}
