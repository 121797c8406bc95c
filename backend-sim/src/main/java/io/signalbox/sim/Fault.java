// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

/**
 * A fault of the reports of some steps of some ranks.
 *
 * @param lastRank   inclusive; {@link #ALL_RANKS} with first rank 0: every rank.
 * @param lastStep   inclusive; {@link Long#MAX_VALUE}: no end.
 * @param nanos      how late, or when a lost rank comes back: {@link FaultPlan#NEVER} for not at all, {@link #AS_PLANNED}
 *                   for the time of the plan; else 0.
 * @param corruption null unless the kind is {@link FaultKind#CORRUPT}.
 * @param detail     what the backend says of a step that failed.
 */
record Fault(
    int firstRank,
    int lastRank,
    long firstStep,
    long lastStep,
    FaultKind kind,
    long nanos,
    Corruption corruption,
    String detail)
{
    static final int ALL_RANKS = Integer.MAX_VALUE;
    static final long AS_PLANNED = -2;
    static final String NO_DETAIL = "";

    /** A fault of one step. */
    static Fault drawn(final int rank, final long step, final FaultKind kind, final long nanos, final Corruption corruption)
    {
        return new Fault(rank, rank, step, step, kind, nanos, corruption, NO_DETAIL);
    }

    boolean concerns(final int rank, final long step)
    {
        return firstRank <= rank && rank <= lastRank && firstStep <= step && step <= lastStep;
    }

    /** Its name in the report. */
    String label()
    {
        return corruption == null ? kind.label() : kind.label() + " " + corruption.label();
    }

    /** The fault in the language of the plan. */
    String text()
    {
        final String ranks = lastRank == ALL_RANKS ? "*" : range(firstRank, lastRank);
        final String steps = lastStep != Long.MAX_VALUE ? range(firstStep, lastStep) : firstStep + "..";
        final String end = switch (kind)
        {
            case LATE -> " " + FaultDuration.text(nanos);
            case LOST -> nanos == AS_PLANNED ? "" : " back-after " + FaultDuration.text(nanos);
            case CORRUPT -> " " + corruption.label();
            case FAILED -> detail.isEmpty() ? "" : " " + detail;
            default -> "";
        };
        return "rank " + ranks + " step " + steps + " " + kind.label() + end;
    }

    private static String range(final long first, final long last)
    {
        return first == last ? Long.toString(first) : first + ".." + last;
    }
}
