// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.trtllm;

import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementBatchWriter;

/**
 * How TensorRT-LLM's ranks tell each other what they have cached of the requests to place, as a flat list of integers:
 * {@code request id, matched tokens} for each request.
 */
public final class PrefixMatchWire
{
    private PrefixMatchWire()
    {
    }

    /** Tokens of a prompt to look up: all but the last, which is always computed. */
    public static int probedTokens(final int promptTokens)
    {
        return Math.max(promptTokens - 1, 0);
    }

    /** Integers for the requests of a batch. */
    public static int length(final PlacementBatch batch)
    {
        return 2 * batch.count();
    }

    /** Writes what a rank matches of each request of the batch into the first {@link #length} places. */
    public static void encode(final PlacementBatch batch, final int rank, final long[] wire)
    {
        for (int request = 0; request < batch.count(); request++)
        {
            wire[2 * request] = batch.requestId(request);
            wire[2 * request + 1] = batch.matchedTokens(request, rank);
        }
    }

    /**
     * Reads what a rank matches into the batch; requests that are not of the batch are passed over.
     *
     * @throws IllegalArgumentException when an id comes without its match.
     */
    public static void decode(final long[] wire, final int length, final PlacementBatchWriter writer, final int rank)
    {
        if ((length & 1) != 0)
        {
            throw new IllegalArgumentException(
                "prefix matches of rank " + rank + " end behind an id: " + length + " integers");
        }
        final PlacementBatch batch = writer.batch();
        for (int i = 0; i < length; i += 2)
        {
            for (int request = 0; request < batch.count(); request++)
            {
                if (batch.requestId(request) == wire[i])
                {
                    writer.matchedTokens(request, rank, Math.toIntExact(wire[i + 1]));
                }
            }
        }
    }
}
