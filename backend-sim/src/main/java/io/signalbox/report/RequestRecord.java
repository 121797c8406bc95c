// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import org.agrona.collections.IntArrayList;

/** What the report remembers of a live request. */
final class RequestRecord
{
    final long submitNanos;
    final int promptTokens;
    /** KV blocks that the request holds on {@link #rank}. */
    final IntArrayList blocks = new IntArrayList();
    int rank = -1;
    long firstTokenNanos;
    long lastTokenNanos;
    int tokens;

    RequestRecord(final long submitNanos, final int promptTokens)
    {
        this.submitNanos = submitNanos;
        this.promptTokens = promptTokens;
    }
}
