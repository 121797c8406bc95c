// SPDX-License-Identifier: Apache-2.0
/**
 * API: the figures of an engine as meters of Micrometer.
 *
 * <p>{@link io.signalbox.metrics.EngineMetrics} binds an engine to a registry. docs/metrics.md lists every metric.
 */
package io.signalbox.metrics;
