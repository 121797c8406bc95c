// SPDX-License-Identifier: Apache-2.0
package io.signalbox.metrics;

import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.stats.EngineStats;
import io.signalbox.stats.Latency;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
class EngineMetricsTest
{
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @Test
    void shouldHaveTheNamesOfVllm() throws InterruptedException
    {
        final Map<String, String> vllm = new TreeMap<>(Map.of(
            "vllm:num_requests_running", "gauge", "vllm:num_requests_waiting", "gauge",
            "vllm:kv_cache_usage_perc", "gauge", "vllm:prefix_cache_queries_total", "counter",
            "vllm:prefix_cache_hits_total", "counter", "vllm:num_preemptions_total", "counter",
            "vllm:prompt_tokens_total", "counter", "vllm:generation_tokens_total", "counter",
            "vllm:request_success_total", "counter"));
        vllm.putAll(Map.of(
            "vllm:time_to_first_token_seconds", "histogram", "vllm:inter_token_latency_seconds", "histogram",
            "vllm:e2e_request_latency_seconds", "histogram", "vllm:request_queue_time_seconds", "histogram",
            "vllm:prompt_tokens_cached_total", "counter", "vllm:cache_config_info", "gauge"));
        for (final String name : List.of("time_per_output_token_seconds", "inference_time_seconds", "prefill_time_seconds",
            "decode_time_seconds", "prompt_tokens", "generation_tokens", "max_num_generation_tokens", "params_max_tokens",
            "params_n"))
        {
            vllm.put("vllm:request_" + name, "histogram");
        }
        vllm.put("vllm:iteration_tokens_total", "histogram");
        try (SignalboxEngine engine = EngineRun.launch())
        {
            new EngineMetrics(engine::stats).bindTo(registry);
            final Map<String, String> types = new TreeMap<>(new Scrape(registry).types);
            types.keySet().removeIf(name -> !name.startsWith("vllm:"));
            assertEquals(vllm, types);
        }
    }

    @Test
    void shouldCountWhatTheEngineDid() throws InterruptedException
    {
        try (SignalboxEngine engine = EngineRun.launch())
        {
            new EngineMetrics(engine::stats).bindTo(registry);
            EngineRun.complete(engine, 3);
            engine.submit(EngineRun.request().routedExperts(0)).await();
            final Scrape scrape = new Scrape(registry);

            assertEquals(4, scrape.sum("signalbox_requests_accepted_total", "engine=0"));
            assertEquals(4, scrape.sum("vllm:request_success_total", "finished_reason=length"));
            assertEquals(0, scrape.sum("vllm:request_success_total", "finished_reason=stop"));
            assertEquals(4 * EngineRun.PROMPT_TOKENS, scrape.sum("vllm:prompt_tokens_total"));
            assertEquals(4 * EngineRun.NEW_TOKENS, scrape.sum("vllm:generation_tokens_total"));
            final double captured = scrape.sum("signalbox_rows_total", "state=captured");
            final double inherited = scrape.sum("signalbox_rows_total", "state=inherited");
            assertEquals(4 * (EngineRun.PROMPT_TOKENS + EngineRun.NEW_TOKENS - 1), captured + inherited);
            assertEquals(inherited, scrape.sum("vllm:prefix_cache_hits_total"));
            assertTrue(inherited >= 32, "the last request shares the prompt: " + inherited);
            assertEquals(0, scrape.sum("signalbox_missing_rows_total"));
            assertEquals(4, scrape.sum("signalbox_placements_total", "router=signalbox", "role=configured"));
            assertEquals(1, scrape.sum("signalbox_untaken_rows_requests"));
            assertTrue(scrape.sum("signalbox_untaken_rows_bytes") > 0);
            assertEquals(4, scrape.sum("vllm:time_to_first_token_seconds_count"));
            assertEquals(4 * (EngineRun.NEW_TOKENS - 1), scrape.sum("vllm:inter_token_latency_seconds_count"));
            assertEquals(1, scrape.sum("signalbox_engine_running"));
            assertEquals(2, scrape.labels("vllm:kv_cache_usage_perc").size());
        }
    }

    @Test
    void shouldNotServeFiguresOfTheBindingToAScrapeRightAfterIt() throws InterruptedException
    {
        try (SignalboxEngine engine = EngineRun.launch())
        {
            final EngineStats before = engine.stats();
            EngineRun.complete(engine, 2);
            final EngineStats after = engine.stats();
            // The client collects in the order of identity hashes: many registries, so that each meter is the first in one.
            for (int round = 0; round < 300; round++)
            {
                final PrometheusMeterRegistry fresh = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
                final AtomicReference<EngineStats> now = new AtomicReference<>(before);
                new EngineMetrics(now::get).bindTo(fresh);
                now.set(after);
                final Scrape scrape = new Scrape(fresh);
                assertEquals(2, scrape.sum("vllm:time_to_first_token_seconds_count"));
                assertEquals(2, scrape.sum("signalbox_requests_accepted_total"));
            }
        }
    }

    @Test
    void shouldShowStepsThatWaitForTheDevice()
    {
        final CountDownLatch open = new CountDownLatch(1);
        try (SignalboxEngine engine = EngineRun.launch(new OneThreadBackend(open)))
        {
            new EngineMetrics(engine::stats).bindTo(registry);
            engine.submit(EngineRun.request());
            while (new Scrape(registry).sum("signalbox_steps_in_flight") == 0)
            {
                Thread.onSpinWait();
            }
            final Scrape scrape = new Scrape(registry);
            assertEquals(1, scrape.sum("vllm:num_requests_running"));
            final double tokens = scrape.sum("signalbox_tokens_in_flight");
            assertTrue(tokens >= EngineRun.PROMPT_TOKENS, tokens + " tokens");
            assertEquals(tokens * EngineRun.SHAPE.rowBytes(), scrape.sum("signalbox_d2h_pending_bytes"));
            open.countDown();
        }
    }

    /** A rate needs the first 0 of a bucket, else the first requests of an engine are missing from quantiles. */
    @Test
    void shouldHaveEveryBucketBeforeTheFirstRequest() throws InterruptedException
    {
        try (SignalboxEngine engine = EngineRun.launch())
        {
            new EngineMetrics(engine::stats).bindTo(registry);
            final List<String> fresh = buckets();
            assertEquals(49L * EngineFigures.LATENCIES.size() + 4 * 20 + 6 + 14, fresh.size());
            assertTrue(fresh.stream().allMatch(line -> line.endsWith(" 0")), fresh::toString);
            EngineRun.complete(engine, 1);
            assertEquals(fresh.stream().map(line -> line.replaceFirst(" \\d+$", "")).toList(),
                buckets().stream().map(line -> line.replaceFirst(" \\d+$", "")).toList());
        }
    }

    private List<String> buckets()
    {
        return registry.scrape().lines().filter(line -> line.contains("_bucket{")).toList();
    }

    @Test
    void shouldLetPrometheusComputeQuantilesFromTheBuckets() throws InterruptedException
    {
        try (SignalboxEngine engine = EngineRun.launch())
        {
            new EngineMetrics(engine::stats).bindTo(registry);
            EngineRun.complete(engine, 200);
            final Scrape scrape = new Scrape(registry);
            final EngineStats stats = engine.stats();
            for (final LatencyHistogram kind : EngineFigures.LATENCIES)
            {
                final Latency latency = kind.latency().apply(stats);
                assertEquals(latency.count(), scrape.sum(kind.name() + "_count"));
                assertEquals(latency.count(), scrape.sum(kind.name() + "_bucket", "le=+Inf"));
                assertEquals(latency.sumNanos() / 1e9, scrape.sum(kind.name() + "_sum"), 1e-9);
                assertInOneBucket(latency, 0.5, latency.p50Nanos(), scrape.quantile(0.5, kind.name()));
                assertInOneBucket(latency, 0.99, latency.p99Nanos(), scrape.quantile(0.99, kind.name()));
            }
            for (final TokenMetric kind : EngineFigures.TOKEN_METRICS)
            {
                final EngineStats.TokenHistogram tokens = kind.tokens().apply(stats);
                assertEquals(tokens.count(), scrape.sum(kind.name() + "_count"));
                assertEquals(tokens.count(), scrape.sum(kind.name() + "_bucket", "le=+Inf"));
                assertEquals(tokens.sum(), scrape.sum(kind.name() + "_sum"));
            }
            assertEquals(200.0 * EngineRun.PROMPT_TOKENS, scrape.sum("vllm:request_prompt_tokens_sum"));
            assertEquals(scrape.sum("vllm:generation_tokens_total"), scrape.sum("vllm:request_generation_tokens_sum"));
            assertEquals(scrape.sum("signalbox_computed_tokens_total"), scrape.sum("vllm:iteration_tokens_total_sum"));
        }
    }

    /** One bucket has both the recorded quantile, to a thousandth, and the one that Prometheus computes. */
    private static void assertInOneBucket(
        final Latency latency, final double quantile, final long recordedNanos, final double computedSeconds)
    {
        long lower = 0;
        for (final Latency.Bucket bucket : latency.buckets())
        {
            if (bucket.count() >= quantile * latency.count())
            {
                final String found = recordedNanos + " ns and " + computedSeconds + " s in " + lower + " to " + bucket;
                assertTrue(recordedNanos >= lower * 0.999 && recordedNanos <= bucket.boundNanos() * 1.001, found);
                assertTrue(computedSeconds * 1e9 >= lower * 0.999 && computedSeconds * 1e9 <= bucket.boundNanos() * 1.001,
                    found);
                return;
            }
            lower = bucket.boundNanos();
        }
        fail(quantile + " is above all bounds of " + latency);
    }

    @Test
    void shouldKeepTwoEnginesApart() throws InterruptedException
    {
        try (SignalboxEngine a = EngineRun.launch(); SignalboxEngine b = EngineRun.launch())
        {
            new EngineMetrics(a::stats, Tags.of("engine", "a")).bindTo(registry);
            new EngineMetrics(b::stats, Tags.of("engine", "b")).bindTo(registry);
            EngineRun.complete(a, 2);
            EngineRun.complete(b, 3);
            final Scrape scrape = new Scrape(registry);
            assertEquals(2, scrape.sum("signalbox_requests_accepted_total", "engine=a"));
            assertEquals(3, scrape.sum("signalbox_requests_accepted_total", "engine=b"));
            assertEquals(2, scrape.sum("vllm:e2e_request_latency_seconds_count", "engine=a"));
            assertEquals(3, scrape.sum("vllm:e2e_request_latency_seconds_count", "engine=b"));
        }
    }

    @Test
    void shouldRefuseASecondEngineWithTheSameTags()
    {
        try (SignalboxEngine a = EngineRun.launch(); SignalboxEngine b = EngineRun.launch())
        {
            registry.config().commonTags("host", "h");
            new EngineMetrics(a::stats).bindTo(registry);
            final EngineMetrics second = new EngineMetrics(b::stats);
            assertEquals("the registry has metrics of an engine with the tags [tag(engine=0)] already; give each engine " +
                "other tags, or close the EngineMetrics of the other one.",
                assertThrows(IllegalArgumentException.class, () -> second.bindTo(registry)).getMessage());
            final EngineMetrics third = new EngineMetrics(b::stats, Tags.of("model_name", "m", "engine", "1"));
            assertEquals("the registry has metrics of an engine with the tags [tag(engine=0),tag(host=h)], and a metric " +
                "has the same keys for all engines, not those of [tag(engine=1),tag(model_name=m)]; give both engines " +
                "tags with the same keys.",
                assertThrows(IllegalArgumentException.class, () -> third.bindTo(registry)).getMessage());
        }
    }

    @Test
    void shouldRefuseATagOfTheFigures()
    {
        assertEquals("the tag rank=3 has a key that metrics of the engine use themselves; choose another key.",
            assertThrows(IllegalArgumentException.class, () -> new EngineMetrics(() -> null, Tags.of("rank", "3")))
                .getMessage());
    }

    @Test
    void shouldBindOnce() throws InterruptedException
    {
        try (SignalboxEngine engine = EngineRun.launch())
        {
            final EngineMetrics metrics = new EngineMetrics(engine::stats);
            metrics.bindTo(registry);
            final int meters = registry.getMeters().size();
            metrics.bindTo(registry);
            assertEquals(meters, registry.getMeters().size());
            EngineRun.complete(engine, 1);
            assertEquals(1, new Scrape(registry).sum("vllm:time_to_first_token_seconds_count"));
        }
    }

    @Test
    void shouldGiveHistogramsTheCommonTags()
    {
        try (SignalboxEngine engine = EngineRun.launch())
        {
            registry.config().commonTags("host.name", "h");
            new EngineMetrics(engine::stats, Tags.of("model_name", "m")).bindTo(registry);
            final Set<Map<String, String>> labels =
                Set.copyOf(new Scrape(registry).labels("vllm:time_to_first_token_seconds_count"));
            assertEquals(Set.of(Map.of("host_name", "h", "model_name", "m")), labels);
        }
    }

    @Test
    void shouldTakeAllMetricsAwayAndBindAgain() throws InterruptedException
    {
        try (SignalboxEngine engine = EngineRun.launch(); SignalboxEngine next = EngineRun.launch())
        {
            final EngineMetrics metrics = new EngineMetrics(engine::stats);
            metrics.bindTo(registry);
            metrics.close();
            metrics.close();
            assertEquals("", registry.scrape());
            assertEquals(List.of(), registry.getMeters());

            new EngineMetrics(next::stats).bindTo(registry);
            EngineRun.complete(next, 2);
            assertEquals(2, new Scrape(registry).sum("vllm:e2e_request_latency_seconds_count"));
        }
    }

    @Test
    void shouldBindToTheRegistriesOfAComposite() throws InterruptedException
    {
        final CompositeMeterRegistry composite = new CompositeMeterRegistry();
        try (SignalboxEngine engine = EngineRun.launch(); EngineMetrics metrics = new EngineMetrics(engine::stats))
        {
            assertEquals("the composite registry has no registry yet; add one to it, then bind the engine.",
                assertThrows(IllegalArgumentException.class, () -> metrics.bindTo(composite)).getMessage());
            final SimpleMeterRegistry simple = new SimpleMeterRegistry();
            composite.add(registry).add(simple);
            metrics.bindTo(composite);
            EngineRun.complete(engine, 2);

            assertEquals(2, new Scrape(registry).sum("vllm:e2e_request_latency_seconds_count"));
            final FunctionTimer timer = simple.get("vllm:e2e_request_latency").functionTimer();
            assertEquals(2, timer.count());
            final TimeGauge half = simple.get("vllm:e2e_request_latency.percentile").tag("phi", "0.5").timeGauge();
            final double p50 = half.value(TimeUnit.NANOSECONDS);
            assertTrue(p50 > 0 && p50 <= timer.totalTime(TimeUnit.NANOSECONDS), p50 + " of " + timer.measure());
        }
    }

    @Test
    void shouldDoNothingInAClosedRegistry() throws InterruptedException
    {
        try (SignalboxEngine engine = EngineRun.launch(); EngineMetrics metrics = new EngineMetrics(engine::stats))
        {
            final PrometheusMeterRegistry open = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            metrics.bindTo(open);
            open.close();
            EngineRun.complete(engine, 1);
            assertEquals(1, new Scrape(open).sum("vllm:e2e_request_latency_seconds_count"), "what was bound stays");

            registry.close();
            metrics.bindTo(registry);
            assertEquals("", registry.scrape());
        }
    }

    @Test
    void shouldRefuseANameOfSomebodyElse()
    {
        try (SignalboxEngine engine = EngineRun.launch(); EngineMetrics metrics = new EngineMetrics(engine::stats))
        {
            registry.counter("vllm:time_to_first_token_seconds").increment();
            assertEquals("the registry has a metric vllm:time_to_first_token_seconds of somebody else; rename that one, " +
                "or give the engine another registry.",
                assertThrows(IllegalArgumentException.class, () -> metrics.bindTo(registry)).getMessage());
            final Set<String> left =
                registry.getMeters().stream().map(Meter::getId).map(Meter.Id::getName).collect(Collectors.toSet());
            assertEquals(Set.of("vllm:time_to_first_token_seconds"), left, "a binding that fails leaves nothing");
            assertTrue(registry.scrape().contains("vllm:time_to_first_token_seconds_total"));
        }
    }

    @Test
    void shouldNameEveryFigureOnce()
    {
        final TreeSet<String> names = new TreeSet<>();
        EngineFigures.ALL.forEach(figure -> assertTrue(names.add(figure.name()), figure.name()));
        EngineFigures.LATENCIES.forEach(kind -> assertTrue(names.add(kind.name()), kind.name()));
        EngineFigures.TOKEN_METRICS.forEach(kind -> assertTrue(names.add(kind.name()), kind.name()));
        assertFalse(names.isEmpty());
    }
}
