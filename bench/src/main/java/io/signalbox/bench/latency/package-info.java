// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: latency of an embedded engine, from the intended time of a request to its first token.
 *
 * <p>{@code scripts/measure-latency} runs it and writes {@code docs/measured/latency.md}.
 */
package io.signalbox.bench.latency;
