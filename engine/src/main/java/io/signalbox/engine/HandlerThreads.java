// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

/** Threads of the handlers behind the scheduler: the journal, the dispatch of steps, and the visibility of results. */
public enum HandlerThreads
{
    /** {@link #ONE} with fewer than four cores, else {@link #EACH}. */
    BY_CORES,
    /** One thread for all of them: a request wakes fewer threads, but a slow listener or backend holds the journal up. */
    ONE,
    /** A thread for each of them: more groups per second if every thread has a core. */
    EACH
}
