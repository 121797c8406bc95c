// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import org.agrona.collections.IntArrayList;

/** One live request as its figures need it; reused for a later one. */
final class FollowedRequest
{
    static final int NO_RANK = -1;
    static final long NO_STEP = -1;

    /** Requests count from 1. */
    static final long NO_REQUEST = 0;

    final IntArrayList blocks = new IntArrayList();
    long requestId;
    long submitNanos;
    long lastTokenNanos;
    int promptTokens;
    int rank;
    boolean hasToken;
    /** The step with which it was admitted for the first time. Each rank numbers its own steps. */
    long firstStep;
    int firstRank;
    boolean isPaused;

    void accepted(final long id, final long timeNanos, final int prompt)
    {
        requestId = id;
        blocks.clear();
        submitNanos = timeNanos;
        promptTokens = prompt;
        rank = NO_RANK;
        hasToken = false;
        firstStep = NO_STEP;
        firstRank = NO_RANK;
        isPaused = false;
    }

    boolean isRunning()
    {
        return rank != NO_RANK;
    }
}
