// SPDX-License-Identifier: Apache-2.0
package io.signalbox.metrics;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.signalbox.stats.EngineStats;

import java.util.function.Supplier;

/** The figures of one engine as a page that Prometheus scrapes. Thread-safe. */
public final class PrometheusPage implements AutoCloseable
{
    /** Of {@link #text}. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final EngineMetrics metrics;

    /** @param stats of the engine: {@code engine::stats}. */
    public PrometheusPage(final Supplier<EngineStats> stats)
    {
        metrics = new EngineMetrics(stats);
        metrics.bindTo(registry);
    }

    /** The page as it is now. */
    public String text()
    {
        return registry.scrape();
    }

    @Override
    public void close()
    {
        metrics.close();
        registry.close();
    }
}
