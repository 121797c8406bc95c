// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.event.codec.FreeReason;
import io.signalbox.experts.RequestRows;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.experts.WeightSpan;

import java.util.List;

/**
 * A request of a journal at its end, with its routed-expert rows. Valid only while the call that received it runs, because
 * the rows are those of the scheduler.
 */
public final class EndedRequest
{
    private final long requestId;
    private final FreeReason reason;
    private final int promptTokens;
    private final int computedTokens;
    private final List<WeightSpan> weights;
    private final RequestRows rows;

    /** @param rows {@code null} if the client asked for no rows. */
    EndedRequest(
        final long requestId,
        final FreeReason reason,
        final int promptTokens,
        final int computedTokens,
        final List<WeightSpan> weights,
        final RequestRows rows)
    {
        this.requestId = requestId;
        this.reason = reason;
        this.promptTokens = promptTokens;
        this.computedTokens = computedTokens;
        this.weights = weights;
        this.rows = rows;
    }

    public long requestId()
    {
        return requestId;
    }

    public FreeReason reason()
    {
        return reason;
    }

    public int promptTokens()
    {
        return promptTokens;
    }

    /** Positions that were computed at any time: each has a row. */
    public int computedTokens()
    {
        return computedTokens;
    }

    /** Whether the client asked for rows; the scheduler keeps no others. */
    public boolean hasRows()
    {
        return rows != null;
    }

    /**
     * A copy of the rows of positions {@code [from, to)}.
     *
     * @param from 0 to {@code to}.
     * @param to   at most {@link #computedTokens()}.
     */
    public RoutedExperts rows(final int from, final int to)
    {
        return rows.copy(from, to).of(promptTokens, weights);
    }
}
