// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

/**
 * A step in flight.
 *
 * @param plannedNanos logical time of its Schedule.
 * @param requestIds   of its entries, in their order.
 */
public record StepState(long step, long plannedNanos, int tokens, long[] requestIds)
{
}
