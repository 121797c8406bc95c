// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

/** The entries of a plan as {@link ScheduleWriter} and {@link CommitWriter} read them. */
public interface PlannedEntries
{
    long step();

    /** Tokens of all entries together. */
    int tokens();

    int weightGeneration();

    int entryCount();

    /** {@link ScheduleWords} of the entries, each of which begins after {@link #entryStride} words; not to be changed. */
    long[] entryWords();

    int entryStride();
}
