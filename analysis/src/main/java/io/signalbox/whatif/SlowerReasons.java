// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.stats.RequestOutcome;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Says what differs about a request that lost time; what costs most comes first. */
final class SlowerReasons
{
    private static final double NANOS_PER_MILLI = 1e6;

    private SlowerReasons()
    {
    }

    static List<String> of(final RequestOutcome was, final RequestOutcome is)
    {
        final List<String> reasons = new ArrayList<>();
        final long waited = is.waitNanos() - was.waitNanos();
        final long lost = is.e2eNanos() - was.e2eNanos();
        final String wait = "waited " + millis(waited) + " ms longer";
        if (2 * waited >= lost)
        {
            reasons.add(wait);
        }
        if (is.preemptions() > was.preemptions())
        {
            reasons.add("preempted " + is.preemptions() + " times instead of " + was.preemptions());
        }
        if (is.pauses() > was.pauses())
        {
            reasons.add("paused " + is.pauses() + " times instead of " + was.pauses());
        }
        if (is.restarts() > was.restarts())
        {
            reasons.add("started over " + is.restarts() + " times instead of " + was.restarts());
        }
        if (is.matchedTokens() < was.matchedTokens())
        {
            reasons.add(is.matchedTokens() + " cached tokens instead of " + was.matchedTokens());
        }
        if (waited > 0 && 2 * waited < lost)
        {
            reasons.add(wait);
        }
        if (is.rank(0) != was.rank(0))
        {
            reasons.add("rank " + is.rank(0) + " instead of " + was.rank(0));
        }
        steps(was, is, lost, reasons);
        if (reasons.isEmpty())
        {
            reasons.add("longer steps");
        }
        return reasons;
    }

    /** Time between tokens counts if it makes at least half of the loss. */
    private static void steps(
        final RequestOutcome was, final RequestOutcome is, final long lost, final List<String> reasons)
    {
        if (was.generatedTokens() < 2 || is.generatedTokens() < 2 || !was.hasFirstToken() || !is.hasFirstToken())
        {
            return;
        }
        final long before = was.e2eNanos() - was.ttftNanos();
        final long after = is.e2eNanos() - is.ttftNanos();
        if (2 * (after - before) >= lost)
        {
            reasons.add(millis(after / (is.generatedTokens() - 1)) + " ms per token instead of " +
                millis(before / (was.generatedTokens() - 1)));
        }
    }

    private static String millis(final long nanos)
    {
        return String.format(Locale.ROOT, "%.3f", nanos / NANOS_PER_MILLI);
    }
}
