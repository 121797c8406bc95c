// SPDX-License-Identifier: Apache-2.0
package io.signalbox.metrics;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.signalbox.engine.SignalboxEngine;

/** An engine whose figures go to a registry without Prometheus; loaded by its name. */
public final class SimpleRegistryRun
{
    private SimpleRegistryRun()
    {
    }

    /** Returns how many values the latency of its three requests has in the registry. */
    public static long run() throws InterruptedException
    {
        final SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (SignalboxEngine engine = EngineRun.launch(); EngineMetrics metrics = new EngineMetrics(engine::stats))
        {
            metrics.bindTo(registry);
            EngineRun.complete(engine, 3);
            return (long)registry.get("vllm:e2e_request_latency").functionTimer().count();
        }
    }
}
