// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

import io.signalbox.event.CommitWords;
import io.signalbox.event.codec.EntryVerdict;

/** A step in flight, and what came of it when it lands. */
public final class RunStep
{
    private static final long NONE = -1;

    private long number = NONE;
    private boolean isKnown;
    private long plannedNanos;
    private int plannedTokens;
    private int computedTokens;
    private int generatedTokens;
    private int acceptedDrafts;
    private int draftsAfterStop;
    private int rejectedDrafts;
    private int deadEntries;

    void plan(final long step, final int tokens, final long nowNanos)
    {
        number = step;
        isKnown = true;
        plannedNanos = nowNanos;
        plannedTokens = tokens;
    }

    RunStep unknown()
    {
        isKnown = false;
        plannedNanos = RunRequest.UNKNOWN;
        plannedTokens = 0;
        return this;
    }

    boolean isFree()
    {
        return number == NONE;
    }

    void close()
    {
        number = NONE;
        computedTokens = 0;
        generatedTokens = 0;
        acceptedDrafts = 0;
        draftsAfterStop = 0;
        rejectedDrafts = 0;
        deadEntries = 0;
    }

    /** @param counts as {@link CommitWords} has them. */
    void land(final int advance, final int counts)
    {
        final int emitted = CommitWords.emitted(counts);
        // The first token is sampled, and the rest are drafts. After a stop token they are accepted, but not emitted.
        final int sampled = emitted + CommitWords.afterStop(counts);
        computedTokens += advance;
        generatedTokens += emitted;
        acceptedDrafts += Math.max(0, emitted - 1);
        draftsAfterStop += Math.max(0, sampled - Math.max(1, emitted));
        rejectedDrafts += CommitWords.rejected(counts);
        deadEntries += CommitWords.isVerdict(counts, EntryVerdict.DEAD) ? 1 : 0;
    }

    long number()
    {
        return number;
    }

    /** Whether its plan is among the groups. */
    public boolean isKnown()
    {
        return isKnown;
    }

    /** Logical time of its plan. */
    public long plannedNanos()
    {
        return plannedNanos;
    }

    /** Tokens of its plan. */
    public int plannedTokens()
    {
        return plannedTokens;
    }

    /** Tokens that count as computed. */
    public int computedTokens()
    {
        return computedTokens;
    }

    /** Tokens that became visible. */
    public int generatedTokens()
    {
        return generatedTokens;
    }

    public int acceptedDrafts()
    {
        return acceptedDrafts;
    }

    /** Accepted draft tokens behind the token at which their request stopped. */
    public int draftsAfterStop()
    {
        return draftsAfterStop;
    }

    public int rejectedDrafts()
    {
        return rejectedDrafts;
    }

    /** Entries that were planned before their request ended. */
    public int deadEntries()
    {
        return deadEntries;
    }
}
