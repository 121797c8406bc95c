// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import java.util.EnumMap;
import java.util.Map;

/** How often rare situations came up. */
final class DepthCounts
{
    /** A situation that the runs must reach. */
    enum Kind
    {
        VOID_ENTRY,
        DEAD_ENTRY,
        OWNER_GONE_ENTRY,
        FENCED_FREE,
        WITHDRAWN_STEP,
        REFUSED_COMPLETION,
        STALE_COMPLETION,
        PREEMPTION,
        PREEMPTION_IN_FLIGHT,
        REJECTED_DRAFT,
        STOP_WITHIN_ACCEPTED_RUN,
        CLIPPED_END,
        SKIPPED_STEP,
        RESUMED_WITH_DRAFTS,
        EMPTY_PLAN,
        PREDECESSOR_BEFORE_LAST_STEP,
        CHUNK_BEHIND_CHUNK,
        MATCHED_BLOCK,
        GENERATED_BLOCK,
        MATCHED_GENERATED_BLOCK,
        MATCHED_PENDING_BLOCK,
        MATCHED_IN_STEP,
        CHUNK_OF_GONE_OWNER,
        WITHDRAWN_PENDING_MATCH,
        CANCEL_IN_FLIGHT,
        RELEASED_ROWS_IN_FLIGHT,
        PAUSE,
        CONTINUE,
        END_WHILE_PAUSED,
        RESET_WHILE_PAUSED,
        PREEMPTION_WHILE_PAUSED,
        PROMISED_ADMISSION,
        LONG_PREFILL,
        NEW_WEIGHTS_FINISH,
        NEW_WEIGHTS_ABORT,
        NEW_WEIGHTS_REQUEUE,
        MIXED_WEIGHTS
    }

    private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);

    void add(final Kind kind, final long count)
    {
        counts.merge(kind, count, Long::sum);
    }

    void addIf(final boolean happened, final Kind kind)
    {
        add(kind, happened ? 1 : 0);
    }

    void addAll(final DepthCounts other)
    {
        other.counts.forEach(this::add);
    }

    long of(final Kind kind)
    {
        return counts.getOrDefault(kind, 0L);
    }

    @Override
    public String toString()
    {
        return counts.toString();
    }
}
