// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.trtllm;

import io.signalbox.router.PlacementBatchWriter;
import io.signalbox.router.RankFigure;

import java.util.Arrays;

/**
 * How TensorRT-LLM's ranks tell each other their load if each runs its own scheduler, as a flat list of
 * integers:
 *
 * <pre>
 *   PR_12315:  rank, requests, tokens
 *   MAIN:      rank, requests, tokens, retiring requests, 9 iteration statistics
 * </pre>
 *
 * Statistics are written as those of a rank that has none yet, and not read.
 */
public final class RankStateWire
{
    private static final int PR_LENGTH = 3;
    private static final int MAIN_LENGTH = 13;
    private static final int ITERATION = 5;

    private RankStateWire()
    {
    }

    /** Integers of one rank. */
    public static int length(final RouterEdition edition)
    {
        return edition == RouterEdition.PR_12315 ? PR_LENGTH : MAIN_LENGTH;
    }

    /** Writes the state of a rank into the first {@link #length} places. */
    public static void encode(
        final RouterEdition edition, final int rank, final int requests, final long tokens, final long[] wire)
    {
        wire[0] = rank;
        wire[1] = requests;
        wire[2] = tokens;
        if (edition == RouterEdition.MAIN)
        {
            Arrays.fill(wire, PR_LENGTH, MAIN_LENGTH, 0);
            wire[ITERATION] = -1;
        }
    }

    /**
     * Reads the state of a rank into a batch.
     *
     * @param figure what the rank counts as its tokens.
     * @throws IllegalArgumentException when the batch has no such rank.
     */
    public static void decode(final long[] wire, final PlacementBatchWriter batch, final RankFigure figure)
    {
        final int ranks = batch.batch().ranks();
        if (wire[0] < 0 || wire[0] >= ranks)
        {
            throw new IllegalArgumentException("rank " + wire[0] + " of a rank state is not one of " + ranks);
        }
        final int rank = (int)wire[0];
        batch.rank(rank, Math.toIntExact(wire[1]), false);
        batch.figure(rank, figure, wire[2]);
    }
}
