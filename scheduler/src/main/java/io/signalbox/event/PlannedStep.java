// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.TableChangeKind;

/** The plan of a step as {@link ScheduleWriter} reads it: its entries and what changes before it. Indexes count from 0. */
public interface PlannedStep extends PlannedEntries
{
    int admittedCount();

    long admittedRequestId(int index);

    int matchedBlocks(int index);

    boolean resumed(int index);

    int evictedCount();

    int evictedBlock(int index);

    long evictedHash(int index);

    int changeCount();

    long changeRequestId(int index);

    int changeIndex(int index);

    int changeBlock(int index);

    int changeIssue(int index);

    TableChangeKind changeKind(int index);

    int pendingCount();

    int pendingBlock(int index);

    long pendingHash(int index);
}
