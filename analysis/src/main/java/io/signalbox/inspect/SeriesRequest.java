// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.state.RequestState;

/** A live request's part of a {@link SeriesQuery}. */
final class SeriesRequest
{
    /** In the place of a time ahead of what is read. */
    static final long UNKNOWN = Long.MIN_VALUE;

    final long submitNanos;
    final int promptTokens;
    /** Tokens that it matched at its first admission. */
    long matchedTokens;
    boolean wasAdmitted;
    /** A step that computed it was committed. */
    boolean landed;
    int tokens;
    long firstTokenNanos;
    long lastTokenNanos;

    SeriesRequest(final long submitNanos, final int promptTokens)
    {
        this.submitNanos = submitNanos;
        this.promptTokens = promptTokens;
    }

    /** A request that has begun ahead of what is read. */
    SeriesRequest(final RequestState was)
    {
        this(was.submitNanos(), was.promptTokens());
        wasAdmitted =
            was.stage() == RequestState.Stage.RUNNING || was.preemptions() > 0 || was.generatedTokens() > 0;
        landed = wasAdmitted;
        tokens = was.generatedTokens();
        firstTokenNanos = UNKNOWN;
    }

    /** Mean time per output token after the first; 0 if there is no second one, or the first one is not known. */
    long tpotNanos()
    {
        return tokens < 2 || firstTokenNanos == UNKNOWN ? 0 : (lastTokenNanos - firstTokenNanos) / (tokens - 1);
    }
}
