// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.inspect.history.PastRequest;

import java.util.List;

/**
 * The requests that a page draws one by one. Of a large run they are those beyond the p99, those that failed, were preempted
 * or started over, and a sample by the hash of the id; figures are always those of all requests.
 */
record DrawnRequests(List<PastRequest> all)
{
    /** All requests of a smaller run are drawn. */
    private static final int MANY = 50_000;
    private static final int SAMPLE = 20_000;

    List<PastRequest> requests()
    {
        if (all.size() <= MANY)
        {
            return all;
        }
        final double slow = RunFigures.quantile(all, 0.99, PastRequest::ttftNanos);
        return all.stream().filter(request -> request.ttftNanos() > slow || request.preemptions() > 0 ||
            request.restarts() > 0 || request.end().equals("failed") || isSampled(request.id())).toList();
    }

    /** The finaliser of MurmurHash3 spreads ids that follow each other. */
    private boolean isSampled(final long id)
    {
        long hash = id * 0xFF51AFD7ED558CCDL;
        hash = (hash ^ hash >>> 33) * 0xC4CEB9FE1A85EC53L;
        return (hash >>> 33) % all.size() < SAMPLE;
    }
}
