// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: benchmarks.
 *
 * <p>Each figure of {@code docs/performance.md} names its command.
 */
package io.signalbox.bench;
