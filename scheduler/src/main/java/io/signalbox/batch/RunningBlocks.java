// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.kv.RequestBlockTable;

/** The block tables of running requests, those of paused ones first. Read for texts only: each look-up is a search. */
record RunningBlocks(RequestQueue running, PausedRequests paused) implements RequestBlockTable
{
    @Override
    public int pausedRequests()
    {
        return paused.count();
    }

    @Override
    public int totalRequests()
    {
        return running.size();
    }

    @Override
    public int blockCount(final int request)
    {
        return at(request).blockCount;
    }

    @Override
    public int blockId(final int request, final int index)
    {
        return at(request).blockTable[index];
    }

    private Request at(final int index)
    {
        final boolean wantsPaused = index < paused.count();
        int left = wantsPaused ? index : index - paused.count();
        int at = 0;
        while (running.get(at).isPaused() != wantsPaused || left-- > 0)
        {
            at++;
        }
        return running.get(at);
    }
}
