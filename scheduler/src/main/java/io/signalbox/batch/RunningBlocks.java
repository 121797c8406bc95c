// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.kv.RequestBlockTable;

/** The block tables of running requests: none of them is paused, because recompute gives up all blocks at once. */
record RunningBlocks(RequestQueue running) implements RequestBlockTable
{
    @Override
    public int pausedRows()
    {
        return 0;
    }

    @Override
    public int totalRows()
    {
        return running.size();
    }

    @Override
    public int blockCount(final int row)
    {
        return running.get(row).blockCount;
    }

    @Override
    public int blockId(final int row, final int index)
    {
        return running.get(row).blockTable[index];
    }
}
