// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect.history;

import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.ToLongFunction;

/** The slowest requests by each of their times, which keep their placements; other requests drop them at their end. */
final class SlowestRequests
{
    private static final int MOST = 50;

    private final List<Slowest> lists = List.of(new Slowest(PastRequest::totalNanos), new Slowest(PastRequest::ttftNanos),
        new Slowest(PastRequest::tpotNanos), new Slowest(PastRequest::queuedNanos));

    /** One list, the fastest request first. */
    private static final class Slowest
    {
        private final ToLongFunction<PastRequest> time;
        private final PriorityQueue<PastRequest> requests;

        private Slowest(final ToLongFunction<PastRequest> time)
        {
            this.time = time;
            requests = new PriorityQueue<>(
                Comparator.comparingLong(time).thenComparing(PastRequest::id, Comparator.reverseOrder()));
        }

        private void add(final PastRequest request)
        {
            if (time.applyAsLong(request) < 0)
            {
                return;
            }
            request.lists++;
            requests.add(request);
            if (requests.size() > MOST)
            {
                drop(requests.remove());
            }
        }

        private static void drop(final PastRequest request)
        {
            if (--request.lists == 0)
            {
                request.placements = List.of();
            }
        }
    }

    void add(final PastRequest request)
    {
        request.lists++;
        lists.forEach(list -> list.add(request));
        Slowest.drop(request);
    }
}
