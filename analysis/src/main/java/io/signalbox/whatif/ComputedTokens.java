// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongArrayList;

/** The positions of requests that a run computed, some of them more than once. */
final class ComputedTokens
{
    private static final long[] NOTHING = {};

    /** Per request spans of positions: the first (32 bits), the one behind the last (32). */
    private final Long2ObjectHashMap<LongArrayList> spans = new Long2ObjectHashMap<>();

    void add(final long requestId, final int start, final int count)
    {
        if (count == 0)
        {
            return;
        }
        LongArrayList ofRequest = spans.get(requestId);
        if (ofRequest == null)
        {
            ofRequest = new LongArrayList();
            spans.put(requestId, ofRequest);
        }
        final int last = ofRequest.size() - 1;
        if (last >= 0 && (int)ofRequest.getLong(last) == start)
        {
            ofRequest.setLong(last, ofRequest.getLong(last) + count);
        }
        else
        {
            ofRequest.addLong((long)start << Integer.SIZE | start + count);
        }
    }

    /** Spans of the request: the first position (32 bits), the one behind the last (32). */
    long[] of(final long requestId)
    {
        final LongArrayList ofRequest = spans.get(requestId);
        return ofRequest == null ? NOTHING : ofRequest.toLongArray();
    }

    /** All tokens, each as often as it was computed. */
    long count()
    {
        long tokens = 0;
        for (final LongArrayList ofRequest : spans.values())
        {
            for (int i = 0; i < ofRequest.size(); i++)
            {
                tokens += (int)ofRequest.getLong(i) - (int)(ofRequest.getLong(i) >> Integer.SIZE);
            }
        }
        return tokens;
    }
}
