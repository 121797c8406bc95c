// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Failed steps of each request under the same weights, without a first computation of any token in between: how many it was
 * alone in, and with how many it may be in its next step.
 */
final class TryCount
{
    private static final int ANY_NUMBER = Integer.MAX_VALUE;

    private final Map<Long, Integer> alone = new HashMap<>();
    /** Of suspects. */
    private final Map<Long, Integer> together = new HashMap<>();
    private final Map<Long, Integer> highWater = new HashMap<>();
    private final Map<Long, Integer> highWaterAtFailure = new HashMap<>();
    private final Map<Long, Integer> weightsAtFailure = new HashMap<>();

    /** Tokens of the request that were computed at any time. */
    void computed(final long id, final int tokens)
    {
        highWater.put(id, tokens);
        if (tokens > highWaterAtFailure.getOrDefault(id, Integer.MAX_VALUE))
        {
            forget(id);
        }
    }

    int highWater(final long id)
    {
        return highWater.getOrDefault(id, 0);
    }

    private void forget(final long id)
    {
        alone.remove(id);
        together.remove(id);
        highWaterAtFailure.remove(id);
    }

    /** A step failed that had so many entries, one of them the request's. */
    void failed(final long id, final int entries, final int weights)
    {
        final Integer before = weightsAtFailure.put(id, weights);
        if (before == null || before != weights)
        {
            forget(id);
        }
        highWaterAtFailure.put(id, highWater(id));
        alone.merge(id, entries == 1 ? 1 : 0, Integer::sum);
        together.put(id, Math.max(1, Math.min(mostTogether(id), entries) / 2));
    }

    int failures(final long id)
    {
        return alone.getOrDefault(id, 0);
    }

    boolean isSuspect(final long id)
    {
        return together.containsKey(id);
    }

    private int mostTogether(final long id)
    {
        return together.getOrDefault(id, ANY_NUMBER);
    }

    /** Why requests must not share a step; {@code null} if they may. */
    String mistake(final Set<Long> requests)
    {
        final Set<Long> suspects = new HashSet<>(together.keySet());
        suspects.retainAll(requests);
        final int most = requests.stream().mapToInt(this::mostTogether).min().orElse(ANY_NUMBER);
        return !suspects.isEmpty() && suspects.size() < requests.size() ?
            "suspects " + suspects + " share a step with others: " + requests :
            requests.size() > most ? requests + " are more than the " + most + " of one of them" : null;
    }
}
