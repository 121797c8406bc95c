// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.InvariantViolation;
import io.signalbox.router.PlacementBatch;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Numbers in the place of the first tokens of prompts. Routers order requests that are placed together by these tokens, so
 * the numbers of live requests have the order of the tokens, and say nothing else of them. Equal heads have equal numbers.
 */
final class HeadOrder
{
    private static final int END = 1 << 30;
    private static final int[] NONE = {};

    /** The numbers of a head, and how many live requests have it. */
    private static final class Stand
    {
        private final int[] numbers;
        private int requests;

        private Stand(final int[] numbers)
        {
            this.numbers = numbers;
        }
    }

    private final TreeMap<int[], Stand> live = new TreeMap<>(Arrays::compare);

    /** @param head of a request that begins to live. */
    int[] add(final int[] head)
    {
        if (head.length == 0)
        {
            return NONE;
        }
        Stand stand = live.get(head);
        if (stand == null)
        {
            final Map.Entry<int[], Stand> lower = live.lowerEntry(head);
            final Map.Entry<int[], Stand> higher = live.higherEntry(head);
            stand = new Stand(between(
                lower == null ? NONE : lower.getValue().numbers, higher == null ? null : higher.getValue().numbers));
            live.put(head.clone(), stand);
        }
        stand.requests++;
        return stand.numbers;
    }

    /** @param head of a request that has ended. */
    void remove(final int[] head)
    {
        final Stand stand = live.get(head);
        if (stand != null && --stand.requests == 0)
        {
            live.remove(head);
        }
    }

    /**
     * Numbers, as the digits of a fraction, between two others.
     *
     * @param high {@code null}: no limit.
     */
    static int[] between(final int[] low, final int[] high)
    {
        final int[] digits = new int[PlacementBatch.HEAD_TOKENS];
        boolean limited = high != null;
        for (int i = 0; i < digits.length; i++)
        {
            final int from = i < low.length ? low[i] : 0;
            final int to = !limited ? END : i < high.length ? high[i] : 0;
            if (to - from > 1)
            {
                digits[i] = step(low, high, from, to);
                return Arrays.copyOf(digits, i + 1);
            }
            digits[i] = from;
            limited = limited && to == from;
        }
        throw new InvariantViolation("no number is left between the heads of two prompts");
    }

    /** Prompts often come in ascending or descending order: at an end, small steps leave room for many. */
    private static int step(final int[] low, final int[] high, final int from, final int to)
    {
        if (high == null && low.length > 0)
        {
            return from + 1;
        }
        return low.length == 0 && high != null ? to - 1 : from + (to - from) / 2;
    }
}
