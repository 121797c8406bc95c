// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

/**
 * A KV block in the table of a request.
 *
 * @param index  index in the table
 * @param block  the KV block
 * @param issue  how often the block had been handed out
 * @param origin whether the request computes it
 * @param rank   the rank
 * @param step   the step from which on the request held it
 */
public record HeldBlock(int index, int block, int issue, Origin origin, int rank, long step)
{
    /** Where the content of a block comes from. */
    public enum Origin
    {
        /** The request computes it. */
        ALLOCATED,
        /** Another request had computed it. */
        MATCHED,
        /** Another request was computing it. */
        MATCHED_PENDING
    }
}
