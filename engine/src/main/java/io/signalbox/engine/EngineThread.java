// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

/** A thread of a {@link ThreadedEngine} that takes part in each step, by its role. */
public enum EngineThread
{
    /** Takes inputs and decides. */
    SCHEDULER,
    /** Writes groups to the journal. If one thread has all handlers, it also launches steps and shows results. */
    JOURNAL,
    /** Launches steps. */
    DISPATCH,
    /** Shows results to clients and to the listener. */
    LISTENER
}
