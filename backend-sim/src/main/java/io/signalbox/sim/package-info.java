// SPDX-License-Identifier: Apache-2.0

/**
 * Preview: simulated ranks in virtual time.
 *
 * <p>{@link io.signalbox.sim.Simulation} runs a workload through a real engine. Time is an integer number of nanoseconds;
 * nothing reads a clock, so equal settings give equal groups and reports. {@link io.signalbox.sim.PacedBackend} is the
 * exception: it paces the same ranks by the clock of an engine that serves clients.
 */
package io.signalbox.sim;
