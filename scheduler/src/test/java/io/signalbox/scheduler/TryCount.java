// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import java.util.HashMap;
import java.util.Map;

/** Consecutive failed steps of each request under the same weights, without a first computation of any token in between. */
final class TryCount
{
    private final Map<Long, Integer> failures = new HashMap<>();
    private final Map<Long, Integer> highWater = new HashMap<>();
    private final Map<Long, Integer> highWaterAtFailure = new HashMap<>();
    private final Map<Long, Integer> weightsAtFailure = new HashMap<>();

    /** Tokens of the request that were computed at any time. */
    void computed(final long id, final int tokens)
    {
        highWater.put(id, tokens);
    }

    void failed(final long id, final int weights)
    {
        final int now = highWater.get(id);
        final Integer before = weightsAtFailure.put(id, weights);
        final boolean progressed =
            now > highWaterAtFailure.getOrDefault(id, -1) || before == null || before != weights;
        failures.put(id, progressed ? 1 : failures.get(id) + 1);
        highWaterAtFailure.put(id, now);
    }

    int failures(final long id)
    {
        return failures.getOrDefault(id, 0);
    }
}
