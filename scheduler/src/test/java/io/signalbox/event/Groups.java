// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.CommitEncoder;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.ScheduleEncoder;
import io.signalbox.event.codec.WithdrawalCause;
import io.signalbox.event.codec.WithdrawnEncoder;

/** Builds groups for tests. */
public final class Groups
{
    private Groups()
    {
    }

    /** A group of one input. */
    public static GroupWriter of(final InputWriter input)
    {
        final GroupWriter group = new GroupWriter(256);
        group.append(input.buffer(), 0, input.length());
        return group;
    }

    /** The end of a step, behind a Wake. */
    public static GroupWriter wakeAndCommit(final int rank, final int epoch, final long step)
    {
        final GroupWriter group = wake();
        final CommitEncoder commit = new CommitEncoder();
        commit.wrapAndApplyHeader(group.buffer(), group.begin(), new MessageHeaderEncoder())
            .step(step).epoch(epoch).rank(rank).missingRows(0).impossibleRows(0);
        commit.entriesCount(0);
        commit.tokensCount(0);
        commit.spansCount(0);
        commit.registeredCount(0);
        commit.logprobsCount(0);
        group.end(MessageHeaderEncoder.ENCODED_LENGTH + commit.encodedLength());
        return group;
    }

    /** The withdrawal of a step, behind a Wake. */
    public static GroupWriter wakeAndWithdrawn(final int rank, final int epoch, final long step)
    {
        final GroupWriter group = wake();
        final WithdrawnEncoder withdrawn = new WithdrawnEncoder();
        withdrawn.wrapAndApplyHeader(group.buffer(), group.begin(), new MessageHeaderEncoder())
            .step(step).causeStep(step).epoch(epoch).rank(rank).cause(WithdrawalCause.STEP_FAILED).detail("");
        group.end(MessageHeaderEncoder.ENCODED_LENGTH + withdrawn.encodedLength());
        return group;
    }

    private static GroupWriter wake()
    {
        final InputWriter wake = new InputWriter();
        wake.wake().timeNanos(1);
        return of(wake);
    }

    /** A Wake and the empty plan of a step. */
    public static GroupWriter wakeAndStep(final int rank, final int epoch, final long step)
    {
        final GroupWriter group = wake();
        final ScheduleEncoder plan = new ScheduleEncoder();
        plan.wrapAndApplyHeader(group.buffer(), group.begin(), new MessageHeaderEncoder())
            .step(step).epoch(epoch).rank(rank).tokens(0);
        plan.admittedCount(0);
        plan.evictedCount(0);
        plan.tableChangesCount(0);
        plan.pendingCount(0);
        plan.entriesCount(0);
        group.end(MessageHeaderEncoder.ENCODED_LENGTH + plan.encodedLength());
        return group;
    }
}
