// SPDX-License-Identifier: Apache-2.0
/**
 * API: live figures of an engine, counted from its groups.
 *
 * <p>The figures of a run that has ended are a report; these are what an operator watches while it runs.
 */
package io.signalbox.stats;
