// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.ConfigException;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.inspect.RowReplay;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.ReplayStart;
import io.signalbox.router.DpRouters;

import java.nio.file.Path;

/**
 * The routed experts of a recorded run, as its clients could take them. It reads the journal each time.
 *
 * @param routers those of the run.
 */
public record RecordedExperts(Path journal, DpRouters routers)
{
    /** Receives the rows of one request. */
    @FunctionalInterface
    interface Receiver
    {
        /** @param rows those of the positions from 0 on that the recorded run computed. */
        void onRequest(long requestId, RoutedExperts rows);
    }

    /**
     * Hands out the rows of each request that has any, once.
     *
     * @throws ConfigException if the recorded decisions are not those of the scheduler.
     */
    void forEach(final Receiver receiver)
    {
        try (ReplayStart start = ReplayStart.of(journal, routers, ReadProgress.NONE))
        {
            final RowReplay.Outcome outcome = RowReplay.run(start, request ->
            {
                if (request.hasRows() && request.computedTokens() > 0)
                {
                    receiver.onRequest(request.requestId(), request.rows(0, request.computedTokens()));
                }
            });
            if (outcome.difference() != null)
            {
                throw new ConfigException("the decisions of " + journal + " are not those of its scheduler, so that its " +
                    "routed experts cannot be trusted; 'signalbox replay --verify' shows the difference.");
            }
        }
    }
}
