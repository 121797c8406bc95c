// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.inspect.history.PastRequest;

import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Something that an operator would call one event: ranks that were lost together, or steps that failed one after the other.
 *
 * @param letter    its mark on the page.
 * @param kind      what happened.
 * @param from      seconds from the origin.
 * @param to        seconds from the origin; {@code from} if it has no duration.
 * @param calm      when queues were back to normal.
 * @param ranks     its ranks in order; empty: the whole run.
 * @param record    its first record.
 * @param count     how often it happened; of losses at one time: 1.
 * @param detail    reason, version or way; empty if there is none.
 * @param restarted requests that started over.
 * @param arrived   requests that arrived until queues were back to normal.
 * @param mostWaiting most waiting requests until then, as the mean of an interval.
 * @param isOpen    whether the run ended before it did.
 */
record Incident(
    String letter, Kind kind, double from, double to, double calm, TreeSet<Integer> ranks, long record, int count,
    String detail, List<Long> restarted, List<PastRequest> arrived, double mostWaiting, boolean isOpen)
{
    /** Its kind, with the colour of its mark. */
    enum Kind
    {
        LOST("bad"),
        FAILED("bad"),
        TIMED_OUT("bad"),
        RESTART("wait"),
        NEW_WEIGHTS("mark");

        final String role;

        Kind(final String role)
        {
            this.role = role;
        }
    }

    /** {@code rank 3}, {@code ranks 4–7}, {@code every rank}. */
    String who()
    {
        return ranks.isEmpty() ? "every rank" : (ranks.size() == 1 ? "rank " : "ranks ") + numbers(ranks);
    }

    /** {@code 0, 4–7}. */
    static String numbers(final TreeSet<Integer> numbers)
    {
        return numbers.stream().filter(number -> !numbers.contains(number - 1)).map(first ->
        {
            int last = first;
            while (numbers.contains(last + 1))
            {
                last++;
            }
            return first == last ? first.toString() : first + "\u2013" + last;
        }).collect(Collectors.joining(", "));
    }

    String what()
    {
        return switch (kind)
        {
            case LOST -> who() + " lost " + (isOpen ? "until the end" : (count > 1 ? "one after the other, for " : "for ") +
                PageNumbers.duration((to - from) * RunFigures.NANOS_PER_SECOND));
            case FAILED -> who() + ": " + PageNumbers.plural(count, "step") + " failed" +
                (detail.isEmpty() ? "" : ", \u201c" + detail + "\u201d");
            case TIMED_OUT -> who() + ": " + PageNumbers.plural(count, "step") + " timed out";
            case RESTART -> "an engine continued the run";
            case NEW_WEIGHTS -> "new weights, way \u201c" + detail + "\u201d";
        };
    }
}
