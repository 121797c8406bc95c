// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementBatchWriter;
import io.signalbox.router.RankFigure;
import io.signalbox.router.Relax;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes batches of recorded ranks and requests, and reads placements back in the terms of the records. */
final class RecordedBatch
{
    private final Map<String, Long> conversations = new HashMap<>();

    /** @param figure what the recorded tokens of a rank are; its other figures are set to something else. */
    PlacementBatchWriter ranks(final JsonNode ranks, final int maxActive, final RankFigure figure)
    {
        final PlacementBatchWriter batch = new PlacementBatchWriter(ranks.size(), maxActive);
        for (int rank = 0; rank < ranks.size(); rank++)
        {
            Divergence.check("numbers of rank " + rank, 2, ranks.get(rank).size());
            batch.rank(rank, ranks.get(rank).get(0).intValue(), false);
            for (final RankFigure other : RankFigure.values())
            {
                batch.figure(rank, other, 1_000_003L * (rank + 7));
            }
            batch.figure(rank, figure, ranks.get(rank).get(1).longValue());
        }
        return batch;
    }

    int add(final PlacementBatchWriter batch, final JsonNode request)
    {
        RecordFields.only("a request", request, "id n", "fp sp conv null children");
        final int tokens = request.path("null").booleanValue() ? 0 : request.get("n").intValue();
        final int index = batch.add(
            request.get("id").longValue(), conversation(request), tokens, hint(request), relax(request));
        final int[] head = new int[Math.min(tokens, PlacementBatch.HEAD_TOKENS)];
        for (int i = 0; i < head.length; i++)
        {
            head[i] = request.path("fp").path(i).intValue();
        }
        batch.head(index, head, head.length);
        return index;
    }

    private long conversation(final JsonNode request)
    {
        return request.has("conv") ? conversations.computeIfAbsent(
            request.get("conv").textValue(), name -> 1000L + conversations.size()) : PlacementBatch.NO_CONVERSATION;
    }

    /** The number that stands for a recorded conversation. */
    long conversation(final String name)
    {
        return conversations.getOrDefault(name, PlacementBatch.NO_CONVERSATION);
    }

    static int hint(final JsonNode request)
    {
        final JsonNode rank = request.path("sp").path("rank");
        return rank.isInt() ? rank.intValue() : PlacementBatch.NO_RANK;
    }

    static Relax relax(final JsonNode request)
    {
        if (!request.has("sp"))
        {
            return Relax.NO_PARAMETERS;
        }
        final JsonNode relax = request.get("sp").path("relax");
        return !relax.isBoolean() ? Relax.UNSTATED : relax.booleanValue() ? Relax.RELAXED : Relax.STRICT;
    }

    /** Ids by rank, in the order in which they were placed. */
    static List<List<Long>> assigned(final PlacementBatch batch)
    {
        final List<List<Long>> assigned = new ArrayList<>();
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            assigned.add(new ArrayList<>());
        }
        for (int i = 0; i < batch.decisions(); i++)
        {
            assigned.get(batch.chosenRank(batch.decision(i))).add(batch.requestId(batch.decision(i)));
        }
        return assigned;
    }

    static List<Long> unassigned(final PlacementBatch batch)
    {
        final List<Long> unassigned = new ArrayList<>();
        for (int request = 0; request < batch.count(); request++)
        {
            if (batch.chosenRank(request) == PlacementBatch.NO_RANK)
            {
                unassigned.add(batch.requestId(request));
            }
        }
        return unassigned;
    }
}
