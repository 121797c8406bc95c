// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.saved.SavedFields;

/**
 * The running requests that keep their KV blocks but get no entries, because no block was left for them. Together they hold
 * a limited number of blocks; a block that several of them share counts for each.
 */
final class PausedRequests
{
    private final int mostBlocks;
    private final BatchListener listener;
    private int count;
    private long blocks;

    /** @param mostBlocks 0: none may be paused. */
    PausedRequests(final int mostBlocks, final BatchListener listener)
    {
        this.mostBlocks = mostBlocks;
        this.listener = listener;
    }

    int count()
    {
        return count;
    }

    /** Whether the limit allows to pause the request, which is not paused. */
    boolean allows(final Request request)
    {
        return blocks + request.blockCount <= mostBlocks;
    }

    void pause(final Request request)
    {
        count(request, 1);
        request.pause(true);
        listener.onPause(request);
    }

    /** The request gets an entry of the plan in work. */
    void proceed(final Request request)
    {
        if (request.isPaused())
        {
            ended(request);
            listener.onContinue(request);
        }
    }

    /** The stay of the request ends, whether it was paused or not. Its block count must be as it was when it was paused. */
    void ended(final Request request)
    {
        if (request.isPaused())
        {
            count(request, -1);
            request.pause(false);
        }
    }

    void save(final SavedFields fields)
    {
        count = fields.int32(count);
        blocks = fields.number(blocks);
    }

    private void count(final Request request, final int sign)
    {
        count += sign;
        blocks += sign * (long)request.blockCount;
    }
}
