// SPDX-License-Identifier: Apache-2.0
package io.signalbox.metrics;

import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.event.StepView;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Scrapes and bindings from many threads, while engines run, fail and end. */
@Tag("threads")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class HostileScrapeTest
{
    private static final int THREADS = 8;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final AtomicBoolean done = new AtomicBoolean();

    @AfterEach
    void end()
    {
        done.set(true);
        threads.shutdown();
    }

    /** Each scrape has all samples; a counter never falls from one scrape of a thread to its next one. */
    private List<Future<Integer>> scrapeFromManyThreads(final CountDownLatch begun)
    {
        final List<Future<Integer>> scrapes = new ArrayList<>();
        for (int i = 0; i < THREADS; i++)
        {
            scrapes.add(threads.submit(() ->
            {
                int count = 0;
                double generated = 0;
                while (!done.get())
                {
                    final Scrape scrape = new Scrape(registry);
                    final double now = scrape.sum("vllm:generation_tokens_total");
                    assertTrue(now >= generated, now + " after " + generated);
                    assertEquals(scrape.sum("vllm:inter_token_latency_seconds_count"),
                        scrape.sum("vllm:inter_token_latency_seconds_bucket", "le=+Inf"));
                    generated = now;
                    count++;
                    begun.countDown();
                }
                return count;
            }));
        }
        return scrapes;
    }

    @Test
    void shouldAnswerWhileTheEngineRunsAndCloses() throws Exception
    {
        final CountDownLatch begun = new CountDownLatch(THREADS);
        final List<Future<Integer>> scrapes;
        try (SignalboxEngine engine = EngineRun.launch())
        {
            new EngineMetrics(engine::stats).bindTo(registry);
            scrapes = scrapeFromManyThreads(begun);
            begun.await();
            EngineRun.complete(engine, 100);
        }
        done.set(true);
        for (final Future<Integer> scrape : scrapes)
        {
            assertTrue(scrape.get() > 0);
        }
        // A scrape may share figures that another thread got before the close; the next scrape asks the engine again.
        new Scrape(registry);
        final Scrape last = new Scrape(registry);
        assertEquals(0, last.sum("signalbox_engine_running"));
        assertEquals(100, last.sum("signalbox_requests_accepted_total"));
        assertEquals(100 * EngineRun.NEW_TOKENS, last.sum("vllm:generation_tokens_total"));
        assertEquals(0, last.sum("vllm:num_requests_running"));
    }

    @Test
    void shouldSayThatTheEngineFailed() throws InterruptedException
    {
        try (SignalboxEngine engine = EngineRun.launch(new OneThreadBackend()
        {
            @Override
            public void submit(final StepView step)
            {
                throw new IllegalStateException("planted");
            }
        }))
        {
            new EngineMetrics(engine::stats).bindTo(registry);
            final Exception failure =
                assertThrows(Exception.class, () -> engine.submit(EngineRun.request()).await());
            assertTrue(failure.toString().contains("planted"), failure::toString);
            assertEquals(0, new Scrape(registry).sum("signalbox_engine_running"));
        }
    }

    @Test
    void shouldBindAndUnbindEnginesWhileOthersScrape() throws Exception
    {
        final CountDownLatch begun = new CountDownLatch(1);
        try (SignalboxEngine first = EngineRun.launch(); SignalboxEngine second = EngineRun.launch())
        {
            new EngineMetrics(first::stats, Tags.of("engine", "first")).bindTo(registry);
            final List<Future<Integer>> scrapes = scrapeFromManyThreads(begun);
            begun.await();
            for (int i = 0; i < 20; i++)
            {
                try (EngineMetrics metrics = new EngineMetrics(second::stats, Tags.of("engine", "second")))
                {
                    metrics.bindTo(registry);
                    assertEquals(0, new Scrape(registry).sum("signalbox_requests_accepted_total", "engine=second"));
                }
            }
            done.set(true);
            for (final Future<Integer> scrape : scrapes)
            {
                scrape.get();
            }
            assertEquals(1, new Scrape(registry).labels("signalbox_engine_running").size());
        }
    }

    /** Of engines that bind at once with the same tags, one is bound. */
    @Test
    void shouldLetOneOfManyBind() throws Exception
    {
        try (SignalboxEngine engine = EngineRun.launch())
        {
            final List<Future<Boolean>> bindings = new ArrayList<>();
            for (int i = 0; i < THREADS; i++)
            {
                bindings.add(threads.submit(() ->
                {
                    try
                    {
                        new EngineMetrics(engine::stats).bindTo(registry);
                        return true;
                    }
                    catch (final IllegalArgumentException e)
                    {
                        return false;
                    }
                }));
            }
            int bound = 0;
            for (final Future<Boolean> binding : bindings)
            {
                bound += binding.get() ? 1 : 0;
            }
            assertEquals(1, bound);
            assertEquals(1, new Scrape(registry).labels("vllm:time_to_first_token_seconds_count").size());
        }
    }
}
