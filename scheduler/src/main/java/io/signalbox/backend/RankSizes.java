// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

/**
 * The sizes that a backend makes its memory for, the same for every rank.
 *
 * @param kvBlocks        KV blocks of the pool; ids are below it.
 * @param blockSizeTokens positions of one block.
 * @param stepTokens      most tokens of a step.
 * @param maxRunning      most requests that run at a time, and so most entries of a step.
 * @param depth           most steps in flight.
 * @param draftTokens     most draft tokens of an entry.
 */
public record RankSizes(
    int kvBlocks, int blockSizeTokens, int stepTokens, int maxRunning, int depth, int draftTokens)
{
    /** Most tokens that a step samples: one for each entry, and one behind each draft token. */
    public int mostSampled()
    {
        return (int)Math.min(stepTokens, maxRunning * (1L + draftTokens));
    }
}
