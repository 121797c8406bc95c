// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

/**
 * A step in flight.
 *
 * @param plannedNanos logical time of its Schedule.
 * @param requestIds   of its entries, in their order.
 * @param copied       blocks that it copies, each of which has it as an owner.
 */
public record StepState(long step, long plannedNanos, int tokens, long[] requestIds, int[] copied)
{
}
