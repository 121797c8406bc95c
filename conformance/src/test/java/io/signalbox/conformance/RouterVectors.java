// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.signalbox.conformance.trtllm.PrefixMatchWire;
import io.signalbox.conformance.trtllm.RankStateWire;
import io.signalbox.conformance.trtllm.RouterEdition;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementBatchWriter;
import io.signalbox.router.QueuePop;
import io.signalbox.router.RankFigure;
import io.signalbox.router.trtllm.DefaultDpRouter;
import io.signalbox.router.trtllm.SeededShuffle;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Decisions recorded of TensorRT-LLM's attention-DP routers; every line is a separate record. */
final class RouterVectors
{
    private static final Set<String> FIRST = Set.of("route", "admit_route");

    private int records;
    private int failed;
    private int raised;
    private String firstDivergence;

    /** The files have no header; they begin with a routing record. */
    static boolean recognises(final JsonNode firstLine)
    {
        return FIRST.contains(firstLine.path("type").asText()) && firstLine.has("router") && firstLine.has("src");
    }

    Outcome run(final List<JsonNode> lines)
    {
        for (final JsonNode record : lines)
        {
            records++;
            try
            {
                check(record);
            }
            catch (final RuntimeException e)
            {
                if (failed++ == 0)
                {
                    firstDivergence = record.path("id").asText() + ": " + e.getMessage();
                }
            }
        }
        return new Outcome(records, failed, firstDivergence, List.of(
            raised + " calls on which the original raises an exception have the defined result"));
    }

    private void check(final JsonNode record)
    {
        switch (record.path("type").asText())
        {
            case "route" -> route(record);
            case "admit_route" -> admit(record);
            case "balance" -> balance(record);
            case "shuffle" -> shuffle(record);
            case "rank_state" -> rankState(record);
            case "gather" -> gather(record);
            default -> throw new Divergence("type " + record.get("type") + " is not known");
        }
    }

    private void route(final JsonNode record)
    {
        final RecordedRoute route = new RecordedRoute(record);
        for (int step = 0; step < record.get("steps").size(); step++)
        {
            try
            {
                raised += route.step(record.get("steps").get(step)) ? 1 : 0;
            }
            catch (final Divergence e)
            {
                throw new Divergence("step " + step + ", " + e.getMessage());
            }
        }
    }

    private static void admit(final JsonNode record)
    {
        RecordFields.only("an admission", record, "id type router src max_active ranks queue out", "");
        final JsonNode out = record.get("out");
        RecordFields.only("out", out, "room admitted left_in_queue error assign expected", "");
        final int maxActive = record.get("max_active").intValue();
        final RecordedBatch batches = new RecordedBatch();
        final PlacementBatchWriter writer = batches.ranks(record.get("ranks"), maxActive, RankFigure.PROMPT_TOKENS);
        final PlacementBatch batch = writer.batch();
        final int[] claimed = IntStream.range(0, batch.ranks()).map(batch::activeRequests).toArray();
        final QueuePop admission = new QueuePop();
        admission.begin((long)maxActive * batch.ranks() - IntStream.of(claimed).sum());
        Divergence.check("room", out.get("room").longValue(), admission.room());

        final List<Long> admitted = new ArrayList<>();
        final List<Long> aside = new ArrayList<>();
        final List<Long> left = new ArrayList<>();
        for (final JsonNode request : record.get("queue"))
        {
            final QueuePop.Answer verdict = left.isEmpty() ? admission.next(RecordedBatch.hint(request),
                RecordedBatch.relax(request), 1 + request.path("children").intValue(), claimed, maxActive) :
                QueuePop.Answer.NO_ROOM;
            final List<Long> into = verdict == QueuePop.Answer.TAKEN ? admitted :
                verdict == QueuePop.Answer.SET_ASIDE ? aside : left;
            into.add(request.get("id").longValue());
            if (verdict == QueuePop.Answer.TAKEN)
            {
                batches.add(writer, request);
            }
        }
        aside.addAll(left);
        Divergence.check("admitted", RecordFields.longs(out.get("admitted")), admitted);
        Divergence.check("left_in_queue", RecordFields.longs(out.get("left_in_queue")), aside);
        Divergence.check("error", true, out.get("error").isNull());
        RecordedRoute.defaultRouter(RecordedRoute.edition(record)).place(batch);
        Divergence.check("assign", RecordFields.lists(out.get("assign")), RecordedBatch.assigned(batch));
        Divergence.check("expected", out.get("expected").intValue(), batch.target());
    }

    /** The balancing step alone is what a router does with a batch that has no hints; the recorded cap is the ranks'. */
    private static void balance(final JsonNode record)
    {
        RecordFields.only("a balance", record, "id type src active_requests active_tokens expected_in reqs out", "");
        RecordFields.only("out", record.get("out"), "assign", "");
        final int ranks = record.get("active_requests").size();
        final int cap = record.get("expected_in").intValue();
        final PlacementBatchWriter batch = new PlacementBatchWriter(ranks, cap);
        for (int rank = 0; rank < ranks; rank++)
        {
            batch.rank(rank, record.get("active_requests").get(rank).intValue(), false);
            batch.figure(rank, RankFigure.PROMPT_TOKENS, record.get("active_tokens").get(rank).longValue());
        }
        final RecordedBatch batches = new RecordedBatch();
        record.get("reqs").forEach(request -> batches.add(batch, request));
        record.get("reqs").forEach(request -> Divergence.check("hint", false, request.has("sp")));
        new DefaultDpRouter().place(batch.batch());
        Divergence.check(
            "assign", RecordFields.lists(record.get("out").get("assign")), RecordedBatch.assigned(batch.batch()));
    }

    private static void shuffle(final JsonNode record)
    {
        RecordFields.only("a shuffle", record, "id type n seed perm first_u32", "");
        final SeededShuffle shuffle = new SeededShuffle();
        final int[] values = IntStream.range(0, record.get("n").intValue()).toArray();
        shuffle.shuffle(record.get("seed").longValue(), values, values.length);
        Divergence.check("perm", RecordFields.longs(record.get("perm")),
            IntStream.of(values).mapToObj(value -> (long)value).toList());
        shuffle.seed(record.get("seed").longValue());
        for (final long drawn : RecordFields.longs(record.get("first_u32")))
        {
            Divergence.check("first_u32", drawn, Integer.toUnsignedLong(shuffle.nextInt()));
        }
    }

    private static void rankState(final JsonNode record)
    {
        RecordFields.only("a rank state", record, "id type src rank num_active_requests num_active_tokens wire", "");
        final RouterEdition edition = RecordedRoute.edition(record);
        final long[] wire = new long[RankStateWire.length(edition)];
        final int rank = record.get("rank").intValue();
        final int requests = record.get("num_active_requests").intValue();
        final long tokens = record.get("num_active_tokens").longValue();
        RankStateWire.encode(edition, rank, requests, tokens, wire);
        Divergence.check("wire", RecordFields.longs(record.get("wire")), LongStream.of(wire).boxed().toList());
        final PlacementBatchWriter writer = new PlacementBatchWriter(rank + 1, Integer.MAX_VALUE);
        RankStateWire.decode(wire, writer, RankFigure.PROMPT_TOKENS);
        final PlacementBatch batch = writer.batch();
        Divergence.check("requests read", requests, batch.activeRequests(rank));
        Divergence.check("tokens read", tokens, batch.figure(rank, RankFigure.PROMPT_TOKENS));
    }

    private static void gather(final JsonNode record)
    {
        RecordFields.only("a gathering", record, "id type src reqs probe_lengths local_wire gathered decoded", "");
        final int ranks = record.get("gathered").size();
        final PlacementBatchWriter writer = new PlacementBatchWriter(ranks, Integer.MAX_VALUE);
        final PlacementBatch batch = writer.batch();
        final RecordedBatch batches = new RecordedBatch();
        final List<Long> probed = new ArrayList<>();
        for (final JsonNode request : record.get("reqs"))
        {
            probed.add((long)PrefixMatchWire.probedTokens(batch.promptTokens(batches.add(writer, request))));
        }
        Divergence.check("probe_lengths", RecordFields.longs(record.get("probe_lengths")), probed);
        final List<List<List<Long>>> decoded = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++)
        {
            final long[] wire = RecordFields.longs(record.get("gathered").get(rank)).stream().mapToLong(id -> id).toArray();
            PrefixMatchWire.decode(wire, wire.length, writer, rank);
            final List<List<Long>> pairs = new ArrayList<>();
            for (int request = 0; request < batch.count(); request++)
            {
                pairs.add(List.of(batch.requestId(request), (long)batch.matchedTokens(request, rank)));
            }
            decoded.add(pairs);
        }
        final List<List<List<Long>>> recorded = new ArrayList<>();
        record.get("decoded").forEach(rank -> recorded.add(RecordFields.lists(rank)));
        Divergence.check("decoded", recorded, decoded);
        final long[] local = new long[PrefixMatchWire.length(batch)];
        PrefixMatchWire.encode(batch, 0, local);
        Divergence.check("local_wire", RecordFields.longs(record.get("local_wire")), LongStream.of(local).boxed().toList());
    }
}
