// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import org.agrona.collections.IntArrayList;

/** A live request's part of the report. */
final class RequestRecord
{
    final long requestId;
    final long submitNanos;
    final int promptTokens;
    final TenantRecord tenant;
    /** KV blocks that the request holds on {@link #rank}. */
    final IntArrayList blocks = new IntArrayList();
    int rank = -1;
    long firstTokenNanos;
    long lastTokenNanos;
    int tokens;
    boolean ended;
    /** The step with which it was admitted for the first time; 0: not yet. */
    long admittedInStep;
    /** A step that computed it was committed. */
    boolean landed;
    int matchedBlocks;
    int copiedTokens;
    int generatedBlocks;
    int pendingBlocks;

    RequestRecord(final long requestId, final long submitNanos, final int promptTokens, final TenantRecord tenant)
    {
        this.requestId = requestId;
        this.submitNanos = submitNanos;
        this.promptTokens = promptTokens;
        this.tenant = tenant;
    }
}
