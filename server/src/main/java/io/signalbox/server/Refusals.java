// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.engine.Refusal;

/** Refusals of the engine as HTTP errors. */
final class Refusals
{
    private Refusals()
    {
    }

    static ApiError error(final Refusal refusal)
    {
        final int status = switch (refusal.reason())
        {
            case ENGINE_FULL, QUEUE_FULL, ROWS_UNTAKEN -> ApiError.TOO_MANY;
            case TOO_LONG_FOR_POOL, ROWS_ABOVE_BOUND, MALFORMED -> ApiError.BAD_REQUEST;
            case JOURNAL_FULL, DRAINING, NO_RANK_LEFT, INTERRUPTED -> ApiError.UNAVAILABLE;
        };
        return new ApiError(status, refusal.message(), null, null, refusal.retryAfter().orElse(null));
    }
}
