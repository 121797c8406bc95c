// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.metrics;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.signalbox.engine.SignalboxEngine;

/** Meters that ask the engine instead of its figures, and a registry for Prometheus that every user would need. */
final class BadMeters
{
    private BadMeters()
    {
    }

    static void bind(final SignalboxEngine engine, final PrometheusMeterRegistry registry)
    {
        registry.gauge("generation", engine, SignalboxEngine::weightGeneration);
    }
}
