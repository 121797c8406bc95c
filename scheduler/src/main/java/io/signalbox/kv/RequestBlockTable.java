// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

/** The block tables of the requests that share a pool, paused ones first. Usage is counted from them. */
public interface RequestBlockTable
{
    int pausedRequests();

    /** Paused and active requests together. */
    int totalRequests();

    int blockCount(int request);

    int blockId(int request, int index);
}
