// SPDX-License-Identifier: Apache-2.0

/**
 * API: the state machine that consumes inputs and emits decisions.
 *
 * <p>Users set {@link io.signalbox.scheduler.SchedulerConfig}; engine and replay drive the rest. Pure.
 */
package io.signalbox.scheduler;
