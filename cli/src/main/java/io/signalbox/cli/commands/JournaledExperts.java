// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.inspect.RowReplay;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.ReplayStart;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.whatif.RecordedExperts;

import java.nio.file.Path;

/** The routed experts of a journal's requests: those that the clients could take. It reads the journal each time. */
final class JournaledExperts implements RecordedExperts
{
    private final Path journal;
    private final DpRouters routers;

    private JournaledExperts(final Path journal, final DpRouters routers)
    {
        this.journal = journal;
        this.routers = routers;
    }

    /** @throws ConfigException if the run captured no rows. */
    static JournaledExperts of(final Path journal, final SchedulerConfig recorded, final DpRouters routers)
    {
        if (recorded.capture() == null)
        {
            throw new ConfigException("--expert-devices needs routed experts, and the run of " + journal +
                " captured none; leave it out.");
        }
        return new JournaledExperts(journal, routers);
    }

    @Override
    public void forEach(final Receiver receiver)
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
