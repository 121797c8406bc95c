// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.signalbox.conformance.trtllm.DefaultPrDpRouter;
import io.signalbox.conformance.trtllm.RouterEdition;
import io.signalbox.router.DpRouter;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementBatchWriter;
import io.signalbox.router.RankFigure;
import io.signalbox.router.TieRule;
import io.signalbox.router.trtllm.ConversationDpRouter;
import io.signalbox.router.trtllm.DefaultDpRouter;
import io.signalbox.router.trtllm.KvAwareDpRouter;
import io.signalbox.router.trtllm.KvAwarePrDpRouter;
import io.signalbox.router.trtllm.NewConversation;
import io.signalbox.router.trtllm.SeededShuffle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** One recorded router object and its calls, made to the router of the same policy. */
final class RecordedRoute
{
    private final RouterEdition edition;
    private final DpRouter router;
    private final int maxActive;
    private final RecordedBatch batches = new RecordedBatch();
    private final SeededShuffle shuffle = new SeededShuffle();

    RecordedRoute(final JsonNode record)
    {
        RecordFields.only("a route", record, "id type router src profile cfg max_active steps", "");
        edition = edition(record);
        maxActive = record.get("max_active").intValue();
        router = router(record, record.get("steps").get(0).get("ranks").size());
    }

    static RouterEdition edition(final JsonNode record)
    {
        return switch (record.get("src").asText())
        {
            case "pr" -> RouterEdition.PR_12315;
            case "main" -> RouterEdition.MAIN;
            default -> throw new Divergence("src " + record.get("src") + " is neither pr nor main");
        };
    }

    static DpRouter defaultRouter(final RouterEdition edition)
    {
        return edition == RouterEdition.PR_12315 ? new DefaultPrDpRouter() : new DefaultDpRouter();
    }

    private DpRouter router(final JsonNode record, final int ranks)
    {
        final JsonNode cfg = record.get("cfg");
        switch (record.get("router").asText())
        {
            case "default":
                RecordFields.only("cfg", cfg, "", "");
                return defaultRouter(edition);
            case "kv_aware":
                if (edition == RouterEdition.PR_12315)
                {
                    RecordFields.only("cfg", cfg, "beta", "");
                    return new KvAwarePrDpRouter(cfg.get("beta").doubleValue());
                }
                RecordFields.only("cfg", cfg, "beta match_rate_threshold fair_share_multiplier cold_start_warmup", "");
                return new KvAwareDpRouter(ranks, cfg.get("beta").doubleValue(),
                    cfg.get("match_rate_threshold").doubleValue(), cfg.get("fair_share_multiplier").doubleValue(),
                    cfg.get("cold_start_warmup").booleanValue());
            case "conversation":
                RecordFields.only("cfg", cfg, "max_sessions fair_share_multiplier new_conv_placement", "");
                return new ConversationDpRouter(cfg.get("max_sessions").intValue(),
                    cfg.get("fair_share_multiplier").doubleValue(),
                    newConversation(cfg.get("new_conv_placement").textValue()));
            default:
                throw new Divergence("router " + record.get("router") + " is not known");
        }
    }

    private static NewConversation newConversation(final String label)
    {
        return Arrays.stream(NewConversation.values()).filter(value -> value.label().equals(label)).findFirst()
            .orElseThrow(() -> new Divergence("new_conv_placement " + label + " is not known"));
    }

    /** @return whether the original raised an exception here; what this program does instead is defined, and checked. */
    boolean step(final JsonNode step)
    {
        RecordFields.only("a step", step, "ranks reqs out", "matches");
        final PlacementBatchWriter writer = batches.ranks(step.get("ranks"), maxActive,
            router instanceof KvAwareDpRouter ? RankFigure.UNCACHED_TOKENS : RankFigure.PROMPT_TOKENS);
        step.get("reqs").forEach(request -> batches.add(writer, request));
        Divergence.check("matches are recorded", router.readsMatches(), step.has("matches"));
        for (int rank = 0; rank < step.path("matches").size(); rank++)
        {
            for (final JsonNode match : step.get("matches").get(rank))
            {
                writer.matchedTokens(match.get(0).intValue(), rank, match.get(1).intValue());
            }
        }
        final PlacementBatch batch = writer.batch();
        router.place(batch);
        final JsonNode out = step.get("out");
        if (!out.get("error").isNull())
        {
            RecordFields.only("a failure", out, "error", "");
            requireDefined(out.get("error").textValue(), batch);
            return true;
        }
        compare(out, batch);
        return false;
    }

    private void requireDefined(final String error, final PlacementBatch batch)
    {
        switch (error)
        {
            case "TypeError", "ZeroDivisionError" ->
                Divergence.check("unplaced where the original raises " + error, List.of(), RecordedBatch.unassigned(batch));
            case "IndexError" ->
            {
                Divergence.check("some are left where the original runs out of ranks", false,
                    RecordedBatch.unassigned(batch).isEmpty());
                Divergence.check("ranks that could take one more", 0L,
                    IntStream.range(0, batch.ranks()).filter(batch::hasRoom).count());
            }
            default -> throw new Divergence("error " + error + " is not known");
        }
        for (int i = 0; i < batch.decisions(); i++)
        {
            final int request = batch.decision(i);
            final int rank = batch.chosenRank(request);
            Divergence.check("the score is finite", true, Double.isFinite(batch.score(request, rank)));
            Divergence.check("rank above its cap", false, batch.activeRequests(rank) > maxActive);
        }
    }

    private void compare(final JsonNode out, final PlacementBatch batch)
    {
        RecordFields.only("out", out, "error assign expected unassigned active_requests",
            "active_tokens soft_order pending_warmup rr_cursor conv_map trace");
        Divergence.check("assign", RecordFields.lists(out.get("assign")), RecordedBatch.assigned(batch));
        Divergence.check("expected", out.get("expected").intValue(), batch.target());
        Divergence.check("unassigned", RecordFields.longs(out.get("unassigned")), RecordedBatch.unassigned(batch));
        Divergence.check("active_requests", RecordFields.longs(out.get("active_requests")),
            IntStream.range(0, batch.ranks()).mapToObj(rank -> (long)batch.activeRequests(rank)).toList());
        Divergence.check(
            "active_tokens are recorded", !(router instanceof ConversationDpRouter), out.has("active_tokens"));
        if (out.has("active_tokens"))
        {
            Divergence.check("active_tokens", RecordFields.longs(out.get("active_tokens")),
                IntStream.range(0, batch.ranks()).mapToObj(batch::loadTokens).toList());
        }
        if (out.has("soft_order"))
        {
            compareSoftOrder(RecordFields.longs(out.get("soft_order")), batch);
        }
        compareTrace(out.path("trace"), batch, softDecisions(batch));
        compareMemory(out);
    }

    private static List<Integer> softDecisions(final PlacementBatch batch)
    {
        return IntStream.range(0, batch.decisions()).map(batch::decision)
            .filter(request -> !isExplicit(batch.tieRule(request))).boxed().toList();
    }

    private static boolean isExplicit(final TieRule rule)
    {
        return rule == TieRule.HINT || rule == TieRule.WARM_UP;
    }

    /** A request that finds no rank leaves no decision; those are the last, because no rank gets room again. */
    private static void compareSoftOrder(final List<Long> recorded, final PlacementBatch batch)
    {
        final List<Long> placed = softDecisions(batch).stream().map(batch::requestId).toList();
        final int decided = Math.min(placed.size(), recorded.size());
        Divergence.check("soft_order", recorded.subList(0, decided), placed);
        Divergence.check("soft_order without a rank", new TreeSet<>(recorded.subList(decided, recorded.size())),
            new TreeSet<>(RecordedBatch.unassigned(batch)));
    }

    private void compareMemory(final JsonNode out)
    {
        Divergence.check("pending_warmup is recorded", router instanceof KvAwareDpRouter, out.has("pending_warmup"));
        if (router instanceof KvAwareDpRouter kvAware)
        {
            final List<Long> cold = new ArrayList<>();
            for (int rank = 0; rank < out.get("assign").size(); rank++)
            {
                if (kvAware.isCold(rank))
                {
                    cold.add((long)rank);
                }
            }
            Divergence.check("pending_warmup", RecordFields.longs(out.get("pending_warmup")), cold);
        }
        Divergence.check("conv_map is recorded", router instanceof ConversationDpRouter, out.has("conv_map"));
        if (router instanceof ConversationDpRouter conversation)
        {
            Divergence.check("rr_cursor", out.get("rr_cursor").intValue(), conversation.cursor());
            compareBindings(out.get("conv_map"), conversation);
        }
    }

    private void compareBindings(final JsonNode recorded, final ConversationDpRouter conversation)
    {
        final long[] inOrder = new long[conversation.homes().size()];
        conversation.homes().inOrderOfUse(inOrder);
        final List<List<Long>> bound = new ArrayList<>();
        for (final long id : inOrder)
        {
            bound.add(List.of(id, (long)conversation.homes().rank(id)));
        }
        final List<List<Long>> expected = new ArrayList<>();
        recorded.forEach(pair ->
            expected.add(List.of(batches.conversation(pair.get(0).textValue()), pair.get(1).longValue())));
        Divergence.check("conv_map", expected, bound);
    }

    private void compareTrace(final JsonNode trace, final PlacementBatch batch, final List<Integer> decisions)
    {
        if (trace.isMissingNode())
        {
            return;
        }
        Divergence.check("traced decisions", trace.size(), decisions.size());
        for (int i = 0; i < trace.size(); i++)
        {
            compareDecision(trace.get(i), batch, decisions.get(i));
        }
    }

    private void compareDecision(final JsonNode traced, final PlacementBatch batch, final int request)
    {
        RecordFields.only("a trace", traced, "req order match_used load denom score pick", "");
        Divergence.check("req", traced.get("req").longValue(), batch.requestId(request));
        final int[] order = IntStream.range(0, batch.ranks()).filter(rank -> batch.isCandidate(request, rank)).toArray();
        if (edition == RouterEdition.MAIN)
        {
            shuffle.shuffle(batch.requestId(request), order, order.length);
        }
        Divergence.check("order", RecordFields.longs(traced.get("order")),
            IntStream.of(order).mapToObj(rank -> (long)rank).toList());
        Divergence.check("match_used", RecordFields.longs(traced.get("match_used")),
            IntStream.of(order).mapToObj(rank -> (long)batch.matchUsed(request, rank)).toList());
        Divergence.check("load", RecordFields.bits(traced.get("load")), IntStream.of(order)
            .mapToObj(rank -> Double.doubleToRawLongBits(batch.candidateLoad(request, rank))).toList());
        Divergence.check("denom", traced.get("denom").doubleValue(), batch.normaliser(request));
        Divergence.check("score", RecordFields.bits(traced.get("score")), IntStream.of(order)
            .mapToObj(rank -> Double.doubleToRawLongBits(batch.score(request, rank))).toList());
        Divergence.check("pick", traced.get("pick").intValue(), batch.chosenRank(request));
    }
}
