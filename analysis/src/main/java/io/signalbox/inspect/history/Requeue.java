// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect.history;

/** A request gave up its KV blocks at a logical time and started over, for another reason than a preemption. */
public record Requeue(long timeNanos, long requestId, int rank)
{
}
