// SPDX-License-Identifier: Apache-2.0
package io.signalbox.metrics;

import io.signalbox.stats.EngineStats;

import java.util.function.Function;

/**
 * Numbers of tokens as a metric: a histogram.
 *
 * @param name    as a scrape has it.
 * @param meaning one sentence without a full stop; the HELP of a scrape.
 */
record TokenMetric(String name, String meaning, Function<EngineStats, EngineStats.TokenHistogram> tokens)
{
}
