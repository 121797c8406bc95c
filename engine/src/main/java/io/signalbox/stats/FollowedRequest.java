// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import org.agrona.collections.IntArrayList;

/** One live request as its figures need it; reused for a later one. */
final class FollowedRequest
{
    static final int NO_RANK = -1;

    /** Requests count from 1. */
    static final long NO_REQUEST = 0;

    final IntArrayList blocks = new IntArrayList();
    long requestId;
    long submitNanos;
    long lastTokenNanos;
    int promptTokens;
    int rank;
    boolean hasToken;
    boolean wasAdmitted;
    boolean isPaused;

    void accepted(final long id, final long timeNanos, final int prompt)
    {
        requestId = id;
        blocks.clear();
        submitNanos = timeNanos;
        promptTokens = prompt;
        rank = NO_RANK;
        hasToken = false;
        wasAdmitted = false;
        isPaused = false;
    }

    boolean isRunning()
    {
        return rank != NO_RANK;
    }
}
