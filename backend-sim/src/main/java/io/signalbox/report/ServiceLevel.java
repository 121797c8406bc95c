// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.ConfigException;
import io.signalbox.workload.DurationText;

import java.util.ArrayList;
import java.util.List;

/**
 * The latencies that a request must keep to count as goodput: a service level objective. At least one is limited.
 *
 * @param ttftNanos most time to first token; {@code null}: any
 * @param tpotNanos most mean time per output token after the first; {@code null}: any
 * @param e2eNanos  most time from Submit to end; {@code null}: any
 */
public record ServiceLevel(Long ttftNanos, Long tpotNanos, Long e2eNanos)
{
    private static final List<String> NAMES = List.of("ttft", "tpot", "e2e");
    private static final List<String> LABELS = List.of("TTFT", "TPOT", "end to end");

    /**
     * Reads a list such as {@code ttft=500ms,tpot=25ms,e2e=30s}.
     *
     * @throws ConfigException if it is no such list.
     */
    public static ServiceLevel of(final String text)
    {
        final Long[] limits = new Long[NAMES.size()];
        for (final String item : text.split(",", -1))
        {
            final int end = item.indexOf('=');
            final int limit = NAMES.indexOf(item.substring(0, Math.max(0, end)));
            if (limit < 0)
            {
                throw new ConfigException("'" + item + "' is not a limit of ttft, tpot or e2e; give a list such as " +
                    "ttft=500ms,tpot=25ms.");
            }
            if (limits[limit] != null)
            {
                throw new ConfigException(NAMES.get(limit) + " is limited twice; give one limit.");
            }
            final long nanos = DurationText.nanos(item.substring(end + 1));
            if (nanos == DurationText.MALFORMED)
            {
                throw new ConfigException(item + " has no limit in range; give " + DurationText.ALLOWED + ".");
            }
            limits[limit] = nanos;
        }
        return new ServiceLevel(limits[0], limits[1], limits[2]);
    }

    /**
     * Whether a request with these latencies, in nanoseconds, meets it.
     *
     * @param tpot 0 if the request has no second token.
     */
    public boolean isMet(final long ttft, final long tpot, final long e2e)
    {
        return isWithin(ttft, ttftNanos) && isWithin(tpot, tpotNanos) && isWithin(e2e, e2eNanos);
    }

    private static boolean isWithin(final long nanos, final Long most)
    {
        return most == null || nanos <= most;
    }

    /** The limits in words: {@code TTFT 500ms, TPOT 25ms}. */
    public String words()
    {
        final Long[] limits = {ttftNanos, tpotNanos, e2eNanos};
        final List<String> words = new ArrayList<>();
        for (int i = 0; i < limits.length; i++)
        {
            if (limits[i] != null)
            {
                words.add(LABELS.get(i) + " " + DurationText.text(limits[i]));
            }
        }
        return String.join(", ", words);
    }
}
