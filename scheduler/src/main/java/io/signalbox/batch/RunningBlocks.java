// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.kv.RequestBlockTable;

/** The block tables of running requests. None of them is paused, because a preempted request releases all its blocks. */
record RunningBlocks(RequestQueue running) implements RequestBlockTable
{
    @Override
    public int pausedRequests()
    {
        return 0;
    }

    @Override
    public int totalRequests()
    {
        return running.size();
    }

    @Override
    public int blockCount(final int request)
    {
        return running.get(request).blockCount;
    }

    @Override
    public int blockId(final int request, final int index)
    {
        return running.get(request).blockTable[index];
    }
}
