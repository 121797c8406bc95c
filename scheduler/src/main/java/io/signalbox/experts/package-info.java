// SPDX-License-Identifier: Apache-2.0

/**
 * API: routed-expert rows.
 *
 * <p>Rows are stored in pages, one page per KV block, and are captured, inherited or missing. Pure, like
 * {@link io.signalbox.kv}.
 */
package io.signalbox.experts;
