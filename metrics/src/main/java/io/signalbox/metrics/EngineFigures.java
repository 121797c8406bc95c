// SPDX-License-Identifier: Apache-2.0
package io.signalbox.metrics;

import io.micrometer.core.instrument.Tags;
import io.signalbox.metrics.EngineFigure.Kind;
import io.signalbox.stats.EngineStats;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;

import static io.signalbox.metrics.EngineFigure.by;
import static io.signalbox.metrics.EngineFigure.counter;
import static io.signalbox.metrics.EngineFigure.gauge;
import static io.signalbox.metrics.EngineFigure.of;
import static io.signalbox.metrics.EngineFigure.perRank;

/**
 * Every metric of an engine. A figure that vLLM has too has vLLM's name, its prefix included, so that dashboards and alerts
 * that were made for vLLM find it; the others begin with {@code signalbox_}.
 */
final class EngineFigures
{
    static final List<LatencyHistogram> LATENCIES = List.of(
        new LatencyHistogram("vllm:time_to_first_token_seconds",
            "Time from a request to its first visible token", EngineStats::timeToFirstToken),
        new LatencyHistogram("vllm:inter_token_latency_seconds",
            "Gap between two successive visible tokens of a request", EngineStats::interTokenLatency),
        new LatencyHistogram("vllm:e2e_request_latency_seconds",
            "Time from a request to its end, requests that ended by length or stop", EngineStats::endToEnd),
        new LatencyHistogram("vllm:request_queue_time_seconds",
            "Time from a request to the first step that computes it", EngineStats::queueTime),
        new LatencyHistogram("vllm:request_time_per_output_token_seconds",
            "Mean time of a request for each visible token after its first", stats -> stats.times().perOutputToken()),
        new LatencyHistogram("vllm:request_inference_time_seconds",
            "Time from the first step that computes a request to its last token", stats -> stats.times().inference()),
        new LatencyHistogram("vllm:request_prefill_time_seconds",
            "Time from the first step that computes a request to its first token", stats -> stats.times().prefill()),
        new LatencyHistogram("vllm:request_decode_time_seconds",
            "Time from the first token of a request to its last", stats -> stats.times().decode()));

    /** Without the suffix that Prometheus gives to information. */
    static final String CACHE_CONFIG = "vllm:cache_config";
    static final String CACHE_CONFIG_MEANING = "Always 1; its labels have the size of a KV block and the blocks of a rank";
    static final String BLOCK_SIZE = "block_size";
    static final String BLOCKS = "num_gpu_blocks";

    /** Of requests that ended by length or stop, and of steps. */
    static final List<TokenMetric> TOKEN_METRICS = List.of(
        new TokenMetric("vllm:request_prompt_tokens", "Prompt tokens of a request", stats -> stats.tokens().prompt()),
        new TokenMetric("vllm:request_generation_tokens", "Tokens that a request generated",
            stats -> stats.tokens().generated()),
        new TokenMetric("vllm:request_max_num_generation_tokens",
            "Tokens of the longest answer of a request, which has one answer here", stats -> stats.tokens().generated()),
        new TokenMetric("vllm:request_params_max_tokens", "Tokens that a request may generate",
            stats -> stats.tokens().limit()),
        new TokenMetric("vllm:request_params_n", "Answers of a request, which has one here", EngineFigures::answers),
        new TokenMetric("vllm:iteration_tokens_total", "Tokens that a committed step computed",
            stats -> stats.tokens().step()));

    private static final List<EngineFigure> REQUESTS = List.of(
        perRank(Kind.GAUGE, "vllm:num_requests_running",
            "Requests that hold KV blocks of the rank, paused ones included", EngineStats.Rank::running),
        gauge("vllm:num_requests_waiting",
            "Requests that were accepted and hold no KV blocks", stats -> stats.requests().waiting()),
        gauge("signalbox_requests_paused",
            "Running requests that wait for KV blocks of others", stats -> stats.requests().paused()),
        counter("signalbox_requests_accepted",
            "Requests that were accepted", stats -> stats.requests().accepted()),
        counter("signalbox_requests_refused",
            "Requests that the scheduler refused", stats -> stats.requests().refused()),
        by("finished_reason", Kind.COUNTER, "vllm:request_success", "Requests that ended by their length or by a stop token")
            .with("length", stats -> stats.requests().completed() - stats.requests().stopped())
            .with("stop", stats -> stats.requests().stopped()),
        counter("signalbox_requests_cancelled",
            "Requests that their clients cancelled", stats -> stats.requests().cancelled()),
        counter("signalbox_requests_deadline",
            "Requests that ended by their deadlines", stats -> stats.requests().missedDeadlines()),
        counter("signalbox_requests_new_weights",
            "Requests that ended because the weights were replaced", stats -> stats.requests().abortedByNewWeights()),
        counter("signalbox_requests_failed",
            "Requests with too many failed steps, or without a rank", stats -> stats.requests().failed()),
        counter("vllm:num_preemptions",
            "Requests that gave up their KV blocks for others and compute anew", stats -> stats.requests().preemptions()),
        counter("signalbox_requests_restarted",
            "Requests that compute anew after a failed step, a lost rank or new weights",
            stats -> stats.requests().restarts()));

    private static final List<EngineFigure> TOKENS = List.of(
        counter("vllm:prompt_tokens",
            "Prompt tokens of requests that a step computes for the first time, cached ones included",
            stats -> stats.prefixCache().queriedTokens()),
        counter("vllm:generation_tokens",
            "Generated tokens that clients may see", stats -> stats.steps().generatedTokens()),
        counter("signalbox_computed_tokens",
            "Tokens of committed steps, without draft tokens that were rejected or follow a stop token",
            stats -> stats.steps().computedTokens()),
        counter("vllm:prefix_cache_queries",
            "Prompt tokens that were looked up in the KV blocks", stats -> stats.prefixCache().queriedTokens()),
        counter("vllm:prefix_cache_hits",
            "Prompt tokens that were found in KV blocks", stats -> stats.prefixCache().hitTokens()),
        counter("vllm:prompt_tokens_cached",
            "Prompt tokens that were not computed, because KV blocks had them", stats -> stats.prefixCache().hitTokens()));

    private static final List<EngineFigure> STEPS = List.of(
        gauge("signalbox_steps_in_flight",
            "Steps that a rank was given and that have no result yet", stats -> stats.steps().inFlight()),
        gauge("signalbox_tokens_in_flight", "Tokens of the steps in flight", stats -> stats.steps().tokensInFlight()),
        by("end", Kind.COUNTER, "signalbox_steps", "Steps by their end")
            .with("committed", stats -> stats.steps().committed())
            .with("withdrawn", stats -> stats.steps().withdrawn()));

    private static final List<EngineFigure> RANKS = List.of(
        perRank(Kind.GAUGE, "vllm:kv_cache_usage_perc",
            "Share of the rank's KV blocks that requests hold, 0 to 1", EngineStats.Rank::kvUsage),
        perRank(Kind.GAUGE, "signalbox_rank_lost",
            "1 if the rank takes no step before it is reset", rank -> rank.lost() ? 1 : 0),
        perRank(Kind.COUNTER, "signalbox_rank_resets", "Resets of the rank", EngineStats.Rank::resets));

    private static final List<EngineFigure> ROWS = List.of(
        by("state", Kind.COUNTER, "signalbox_rows", "Rows of routed experts of requests that have ended")
            .with("captured", stats -> stats.rows().captured())
            .with("inherited", stats -> stats.rows().inherited())
            .with("missing", stats -> stats.rows().missing()),
        by("reason", Kind.COUNTER, "signalbox_missing_rows",
            "Missing rows by reason: the backend had no experts for them, or the engine rejected impossible ones")
            .with("not_captured", stats -> stats.rows().missing() - stats.rows().rejected())
            .with("rejected", stats -> stats.rows().rejected()),
        gauge("signalbox_d2h_pending", "Bytes of rows that the steps in flight will bring from the devices",
            stats -> stats.steps().captureBytesInFlight()).in("bytes"),
        gauge("signalbox_capture_slots_in_use",
            "Capture slots with results that the backend handed over and the engine has not released",
            stats -> stats.shell().results().slotsInUse()),
        gauge("signalbox_untaken_rows_requests",
            "Requests that have ended and whose rows nobody has taken", stats -> stats.shell().results().untakenRequests()),
        gauge("signalbox_untaken_rows", "Bytes of the rows that nobody has taken",
            stats -> stats.shell().results().untakenBytes()).in("bytes"),
        counter("signalbox_discarded_rows_requests",
            "Requests whose rows were discarded because nobody took them",
            stats -> stats.shell().results().discardedRequests()));

    private static final List<EngineFigure> ENGINE = List.of(
        of(Kind.COUNTER, "signalbox_placements", "Decisions for a rank by the router that made them",
            List.of("router", "role"), EngineFigures::placements),
        by("by", Kind.COUNTER, "signalbox_bound_placements",
            "Decisions without scoring: the request names its rank, or its conversation is bound to one")
            .with("hint", stats -> stats.placements().onHint())
            .with("conversation", stats -> stats.placements().byConversation()),
        counter("signalbox_match_gate_closed",
            "Decisions that ignored prefix matches, because the best one covered too little of the prompt",
            stats -> stats.placements().gateClosed()),
        counter("signalbox_groups",
            "Groups that the engine made: inputs with all their outputs", stats -> stats.shell().rings().groups()),
        gauge("signalbox_journal_lag_groups",
            "Groups that are not yet as durable as the user chose; no client sees them",
            stats -> stats.shell().rings().journalLag()),
        by("ring", Kind.GAUGE, "signalbox_ring_used_slots", "Slots of the ring with content that its readers have not taken")
            .with("ingress", stats -> stats.shell().rings().ingressUsed())
            .with("track", stats -> stats.shell().rings().trackUsed()),
        by("ring", Kind.GAUGE, "signalbox_ring_slots", "Slots of the ring")
            .with("ingress", stats -> stats.shell().rings().ingressSlots())
            .with("track", stats -> stats.shell().rings().trackSlots()),
        gauge("signalbox_engine_running",
            "1 while the engine accepts inputs, 0 after it failed or was closed", stats -> stats.shell().running() ? 1 : 0));

    /** Every figure but the latencies, in the order of the documents. */
    static final List<EngineFigure> ALL = List.of(REQUESTS, TOKENS, STEPS, RANKS, ROWS, ENGINE).stream()
        .flatMap(List::stream).toList();

    /** One with a single series. */
    static final EngineFigure UNTAGGED =
        ALL.stream().filter(figure -> figure.tagKeys().isEmpty()).findFirst().orElseThrow();

    private EngineFigures()
    {
    }

    /** Each request of the engine is one answer, so all are in the first bucket. */
    private static EngineStats.TokenHistogram answers(final EngineStats stats)
    {
        final long requests = stats.tokens().prompt().count();
        return new EngineStats.TokenHistogram(requests, requests,
            LongStream.of(1, 2, 5, 10, 20).mapToObj(bound -> new EngineStats.TokenBucket(bound, requests)).toList());
    }

    private static List<EngineFigure.Series> placements(final EngineStats first)
    {
        return List.of(
            new EngineFigure.Series(Tags.of("router", first.placements().router(), "role", "configured"),
                stats -> stats.placements().byRouter()),
            new EngineFigure.Series(Tags.of("router", first.placements().fallbackRouter(), "role", "fallback"),
                stats -> stats.placements().byFallback()));
    }

    /** Keys of tags that tell series of one engine apart. */
    static Set<String> tagKeys()
    {
        final Set<String> keys = new TreeSet<>(Set.of(
            LatencyHistogram.BOUND, LatencyHistogram.PERCENTILE, BLOCK_SIZE, BLOCKS));
        ALL.forEach(figure -> keys.addAll(figure.tagKeys()));
        return keys;
    }
}
