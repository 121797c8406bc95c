// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: what happened in a run over time, collected in one pass over its events.
 */
package io.signalbox.inspect.history;
