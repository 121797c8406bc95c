// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** How often rare situations came up. */
final class DepthCounts
{
    /** An action or a situation that the runs must reach, each with the least number in {@link #RUNS} runs. */
    enum Kind
    {
        VOID_ENTRY(10),
        DEAD_ENTRY(250),
        OWNER_GONE_ENTRY(300),
        FENCED_FREE(250),
        WITHDRAWN_STEP(650),
        REFUSED_COMPLETION(70),
        STALE_COMPLETION(30),
        PREEMPTION(60),
        PREEMPTION_IN_FLIGHT(4),
        REJECTED_DRAFT(750),
        STOP_WITHIN_ACCEPTED_RUN(10),
        CLIPPED_END(20),
        SKIPPED_STEP(900),
        RESUMED_WITH_DRAFTS(200),
        EMPTY_PLAN(200),
        PREDECESSOR_BEFORE_LAST_STEP(15),
        CHUNK_BEHIND_CHUNK(2750),
        MATCHED_BLOCK(1000),
        GENERATED_BLOCK(1150),
        MATCHED_GENERATED_BLOCK(30),
        MATCHED_PENDING_BLOCK(100),
        MATCHED_IN_STEP(50),
        CHUNK_OF_GONE_OWNER(200),
        WITHDRAWN_PENDING_MATCH(10),
        CANCEL_IN_FLIGHT(200),
        RELEASED_ROWS_IN_FLIGHT(6),
        PAUSE(40),
        CONTINUE(25),
        END_WHILE_PAUSED(3),
        RESET_WHILE_PAUSED(3),
        PREEMPTION_WHILE_PAUSED(10),
        PROMISED_ADMISSION(350),
        LONG_PREFILL(1550),
        NEW_WEIGHTS_CONTINUE(150),
        NEW_WEIGHTS_ABORT(80),
        NEW_WEIGHTS_REQUEUE(95),
        NEW_WEIGHTS_DRAIN(50),
        STOPPED_IN_FLIGHT(20),
        CUT_ANSWER(10),
        SAMPLE(100),
        MIXED_WEIGHTS(100),
        ROW_WITH_WEIGHTS(20_000),
        RESET_OF_ONE_RANK(65),
        CANCEL(1150),
        RELEASE_ROWS(850),
        CACHE_RESET(100),
        STEP_FAILED(80),
        RANK_LOST(55),
        TIMED_OUT(40),
        RESET_WITH_MEMORY(90),
        RESET_WITHOUT_MEMORY(80),
        TOO_EARLY(9),
        END_STOP(80),
        END_LENGTH(1550),
        END_CANCELLED(850),
        END_DEADLINE(30),
        END_FAILED(250),
        END_NEW_WEIGHTS(85),
        REQUEUED_PREEMPTED(60),
        REQUEUED_STEP_WITHDRAWN(400),
        REQUEUED_NEW_WEIGHTS(65);

        /** Fewer in {@link #RUNS} runs mean that an action or a situation has died. */
        private final int least;

        Kind(final int least)
        {
            this.least = least;
        }
    }

    private static final int RUNS = 500;

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

    /** Kinds that came up less often than they must in so many runs. */
    List<Kind> rare(final int runs)
    {
        return Arrays.stream(Kind.values()).filter(kind -> of(kind) * RUNS < (long)kind.least * runs).toList();
    }

    @Override
    public String toString()
    {
        return counts.toString();
    }
}
