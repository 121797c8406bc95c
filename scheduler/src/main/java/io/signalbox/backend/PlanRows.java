// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

import io.signalbox.event.codec.ScheduleDecoder;

/** The way to the rows of a step plan past the changes ahead of them, for backends that need the rows only. */
public final class PlanRows
{
    private PlanRows()
    {
    }

    /** @param plan groups not yet read; afterwards its rows are being read. */
    public static ScheduleDecoder.RowsDecoder of(final ScheduleDecoder plan)
    {
        final int preempted = plan.preempted().count();
        plan.limit(plan.limit() + preempted * ScheduleDecoder.PreemptedDecoder.sbeBlockLength());
        final int admitted = plan.admitted().count();
        plan.limit(plan.limit() + admitted * ScheduleDecoder.AdmittedDecoder.sbeBlockLength());
        final int evicted = plan.evicted().count();
        plan.limit(plan.limit() + evicted * ScheduleDecoder.EvictedDecoder.sbeBlockLength());
        final int changes = plan.tableChanges().count();
        plan.limit(plan.limit() + changes * ScheduleDecoder.TableChangesDecoder.sbeBlockLength());
        final int pending = plan.pending().count();
        plan.limit(plan.limit() + pending * ScheduleDecoder.PendingDecoder.sbeBlockLength());
        return plan.rows();
    }
}
