// SPDX-License-Identifier: Apache-2.0
package io.signalbox.metrics;

import io.signalbox.stats.EngineStats;
import io.signalbox.stats.Latency;

import java.util.function.Function;

/**
 * One kind of latency as a metric: a histogram in seconds.
 *
 * @param name    with its unit, as a scrape has it.
 * @param meaning one sentence without a full stop; the HELP of a scrape.
 */
record LatencyHistogram(String name, String meaning, Function<EngineStats, Latency> latency)
{
    /** Key of the tag for the bound of a bucket. */
    static final String BOUND = "le";
    /** Key of the tag for a percentile. */
    static final String PERCENTILE = "phi";
    private static final String SECONDS = "_seconds";

    /** The name without its unit, which a registry adds to timers. */
    String baseName()
    {
        return name.substring(0, name.length() - SECONDS.length());
    }
}
