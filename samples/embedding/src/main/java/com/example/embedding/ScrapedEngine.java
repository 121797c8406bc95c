// SPDX-License-Identifier: Apache-2.0
package com.example.embedding;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.metrics.EngineMetrics;
import io.signalbox.scheduler.SchedulerConfig;

import java.util.ArrayList;
import java.util.List;

/** Runs some requests, and prints what Prometheus would scrape. */
public final class ScrapedEngine
{
    private ScrapedEngine()
    {
    }

    public static void main(final String[] args) throws InterruptedException
    {
        final EngineConfig config = new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(2).kvBlocks(1025).capture(new ModelShape(4, 64, 2)).build())
            .backend(new EchoBackend());
        final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (SignalboxEngine engine = SignalboxEngine.launch(config);
            EngineMetrics metrics = new EngineMetrics(engine::stats))
        {
            metrics.bindTo(registry);
            final List<CompletionHandle> requests = new ArrayList<>();
            for (int i = 0; i < 4; i++)
            {
                requests.add(engine.submit(CompletionRequest.prompt(new int[40]).maxNewTokens(3)));
                requests.get(i).await();
            }
            System.out.print(registry.scrape());
        }
    }
}
