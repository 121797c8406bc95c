// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.experts.WeightSpan;

import java.util.ArrayList;
import java.util.List;

/** Reads from a {@code Free} which weights computed which positions of its request. */
public final class FreeSpans
{
    private FreeSpans()
    {
    }

    /** The spans in ascending order; empty if nothing was computed. Reads the groups of the message to their end. */
    public static List<WeightSpan> of(final FreeDecoder free)
    {
        final int end = free.computedTokens();
        free.sbeRewind().released().forEach(block ->
        {
        });
        final List<WeightSpan> spans = new ArrayList<>();
        for (final FreeDecoder.WeightSpansDecoder span : free.weightSpans())
        {
            final int last = spans.size() - 1;
            if (last >= 0)
            {
                spans.set(last, new WeightSpan(spans.get(last).from(), span.from(), spans.get(last).generation()));
            }
            spans.add(new WeightSpan(span.from(), end, span.weightGeneration()));
        }
        return List.copyOf(spans);
    }
}
