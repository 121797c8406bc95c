// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

/** The block tables of the requests that share a pool, paused ones first. Usage is counted from them. */
public interface RequestBlockTable
{
    int pausedRows();

    /** Paused and active rows together. */
    int totalRows();

    int blockCount(int row);

    int blockId(int row, int index);
}
