// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.scheduler.Scheduler;

/** Receives every group of a recorded run, in order, and the scheduler to which the last of them were applied. */
public interface ReplayTarget extends GroupListener
{
    /**
     * The scheduler has the state of the groups so far, whose decisions were confirmed before. Every later group is received
     * after it was applied to this scheduler. Called once; ahead of the first group if all of them are applied.
     */
    void begin(Scheduler scheduler);
}
