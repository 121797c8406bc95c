// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.trtllm;

import io.signalbox.config.Setting;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementOrder;

/**
 * The score of TensorRT-LLM's KV-cache-aware routers, lower is better:
 * {@code (T - matched) + beta * (load / D * T)} with {@code D} the larger of the candidates' summed load and {@code T}.
 * The division comes first and nothing is fused, so that every bit is that of the original. If {@code D} is 0, with an
 * empty prompt and idle ranks, the original fails; here the load term is 0.
 */
final class KvAwareScore
{
    static final Setting<Double> BETA =
        Setting.weight("beta", 1.0, "Weight of the load term of the score.");

    private KvAwareScore()
    {
    }

    static double normaliser(final PlacementBatch batch, final int request)
    {
        long load = 0;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            load += PlacementOrder.isEligible(batch, rank) ? batch.loadTokens(rank) : 0;
        }
        return Math.max(load, batch.promptTokens(request));
    }

    /** Notes the rank as a candidate and returns its score. */
    static double of(
        final PlacementBatch batch,
        final int request,
        final int rank,
        final double normaliser,
        final double beta,
        final int matchUsed)
    {
        final int tokens = batch.promptTokens(request);
        final double newWork = (double)tokens - matchUsed;
        final double loadTerm = normaliser == 0 ? 0 : beta * (batch.loadTokens(rank) / normaliser * tokens);
        final double score = newWork + loadTerm;
        batch.candidate(request, rank, score, newWork, loadTerm, matchUsed);
        return score;
    }
}
