// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.AcceptanceSeries;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;

/** Refuses a series of accepted drafts that says too little about a workload, or more than its steps can have. */
final class AcceptanceFit
{
    private static final int NEVER = -1;

    private AcceptanceFit()
    {
    }

    /**
     * The line of a request that may be cancelled may end early. Lines past the last request are not used.
     *
     * @throws ConfigException that names the line, its value and the remedy.
     */
    static void check(final AcceptanceSeries series, final Workload workload, final SchedulerConfig scheduler)
    {
        final int highest = series.highestCount();
        if (highest > scheduler.draftTokens())
        {
            throw ConfigException.because(series.place(series.lineOfHighest()) + " has a count of " + highest +
                    " accepted draft tokens, more than a step may have with ",
                    SchedulerConfig.DRAFT_TOKENS.of(scheduler.draftTokens()))
                .allowed("at least " + highest).remedy("allow at least " + highest + " draft tokens, or correct the line");
        }
        final int requests = workload.requests().size();
        if (requests > series.requests())
        {
            throw new ConfigException(series + " has lines for " + series.requests() + " of the " + requests +
                " requests of the workload; give one line per request, or run fewer requests.");
        }
        for (final WorkloadRequest request : workload.requests())
        {
            final int tokens = series.tokens(request.requestId());
            if (tokens < request.outputTokens() && request.cancelAfterNanos() == NEVER)
            {
                throw new ConfigException(series.place(request.requestId()) + " tells of " + tokens +
                    " generated tokens (one, and one more than each count), and " + workload.placeOf(request) +
                    " generates " + request.outputTokens() + "; append counts to the line, or limit the request's output.");
            }
        }
    }
}
