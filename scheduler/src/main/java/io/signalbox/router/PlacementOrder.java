// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/**
 * The orders in which TensorRT-LLM's routers visit the requests of a batch, and the target of a rank. Every order is
 * stable. Callers pass arrays of {@link PlacementBatch#MAX_REQUESTS} entries.
 */
public final class PlacementOrder
{
    private PlacementOrder()
    {
    }

    /**
     * Strict requests, then the others, each in order of arrival.
     *
     * @param hintless whether a strict request that names no rank counts as strict.
     */
    public static void strictFirst(final PlacementBatch batch, final boolean hintless, final int[] order)
    {
        int at = 0;
        for (int request = 0; request < batch.count(); request++)
        {
            if (isStrict(batch, request, hintless))
            {
                order[at++] = request;
            }
        }
        for (int request = 0; request < batch.count(); request++)
        {
            if (!isStrict(batch, request, hintless))
            {
                order[at++] = request;
            }
        }
    }

    private static boolean isStrict(final PlacementBatch batch, final int request, final boolean hintless)
    {
        return batch.relax(request) == Relax.STRICT && (hintless || batch.rankHint(request) != PlacementBatch.NO_RANK);
    }

    public static void longestFirst(final PlacementBatch batch, final int[] order, final int count)
    {
        for (int i = 1; i < count; i++)
        {
            final int request = order[i];
            int at = i;
            while (at > 0 && batch.promptTokens(order[at - 1]) < batch.promptTokens(request))
            {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = request;
        }
    }

    /** By the heads of the prompts; prompts with equal heads by length, longest first. */
    public static void byHead(final PlacementBatch batch, final int[] order, final int count)
    {
        for (int i = 1; i < count; i++)
        {
            final int request = order[i];
            int low = 0;
            int high = i;
            while (low < high)
            {
                final int middle = low + high >>> 1;
                if (comesAfter(batch, order[middle], request))
                {
                    high = middle;
                }
                else
                {
                    low = middle + 1;
                }
            }
            System.arraycopy(order, low, order, low + 1, i - low);
            order[low] = request;
        }
    }

    private static boolean comesAfter(final PlacementBatch batch, final int request, final int other)
    {
        final int heads = batch.compareHeads(request, other);
        return heads != 0 ? heads > 0 : batch.promptTokens(request) < batch.promptTokens(other);
    }

    /**
     * Largest number of requests of a rank: {@code max(ceil(multiplier * fair share), fullest rank)}. The fair share is
     * the number of all requests divided by the number of ranks that are not lost, rounded up.
     *
     * @param waiting number of requests that are not placed yet.
     */
    public static int target(final PlacementBatch batch, final int waiting, final double multiplier)
    {
        long total = waiting;
        int fullest = 0;
        int ranks = 0;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            if (!batch.isLost(rank))
            {
                ranks++;
                total += batch.activeRequests(rank);
                fullest = Math.max(fullest, batch.activeRequests(rank));
            }
        }
        final long fair = ranks == 0 ? 0 : (total + ranks - 1) / ranks;
        final double share = Math.ceil(multiplier * fair);
        return (int)Math.min(Integer.MAX_VALUE, Math.max(share, fullest));
    }

    /** Whether the rank may take one more request of the batch. */
    public static boolean isEligible(final PlacementBatch batch, final int rank)
    {
        return !batch.isLost(rank) && batch.activeRequests(rank) < batch.target();
    }
}
