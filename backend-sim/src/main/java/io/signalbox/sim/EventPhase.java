// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

/**
 * The order of events of one instant. Within a phase the smaller identity goes first (the rank, or the
 * index of the request in the workload, or of the change of weights), then the smaller sequence (the step). Part of the
 * contract: another order gives another run. A Wake comes last, once nothing else is due at the instant; after it, in a
 * run with faults, come the timeouts of steps, the reset of the backend and a Tick.
 */
final class EventPhase
{
    static final int FORWARD = 0;
    static final int D2H_COMPLETE = 1;
    /** A completion that a fault of the plan delayed, held back or repeated. */
    static final int FAULTY_REPORT = 2;
    /** The client has taken the routed-expert rows of its request. */
    static final int RELEASE_ROWS = 3;
    static final int CANCEL = 4;
    static final int SUBMIT = 5;
    /** The weights are replaced. */
    static final int NEW_WEIGHTS = 6;

    private EventPhase()
    {
    }
}
