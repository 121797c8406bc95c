// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;

/**
 * A run that a journal keeps, open for its next engine. The engine first calls {@link #replayInto}, once, and
 * then {@link #journal()}, once. Used by one thread at a time.
 */
public interface RecordedRun extends AutoCloseable
{
    /**
     * Applies every recorded input, in order, and compares the outputs with the recorded ones.
     *
     * @param scheduler new, of the configuration that the description has; afterwards it has the state of the last group.
     * @param follower  receives each group after it was applied and compared.
     * @throws RuntimeException if a record is damaged, or if the scheduler decides otherwise than recorded or cannot apply
     *     an input; the message names the record and the remedy. Nothing was written then.
     */
    void replay(Scheduler scheduler, GroupListener follower);

    /**
     * Gives the target every group, and a scheduler with the state of the last one. A run may have the state behind one of
     * its groups, in which it was confirmed before; then only later inputs are applied.
     *
     * @param config the one that the description has.
     * @throws RuntimeException as {@link #replay} does.
     */
    default void replayInto(final SchedulerConfig config, final ReplayTarget target)
    {
        final Scheduler scheduler = new Scheduler(config);
        target.begin(scheduler);
        replay(scheduler, target);
    }

    /** Groups that were replayed. */
    long groups();

    /** Logical time of the last group that was replayed; 0 if there was none. */
    long lastTimeNanos();

    /**
     * The journal for the groups that follow. From here on it belongs to the caller, who closes it instead of this run.
     * If the last writer was stopped, what it did not finish is cut off first, durably.
     */
    GroupJournal journal();

    /** Leaves the run as it was found. Does nothing after {@link #journal()}. */
    @Override
    void close();
}
