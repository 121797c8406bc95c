// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/** Whether the prefix matches of a request were good enough to count in its scores. */
public enum GateState
{
    /** The policy has no gate, or no scoring took place. */
    NONE,
    OPEN,
    /** Every match counted as 0. */
    CLOSED
}
