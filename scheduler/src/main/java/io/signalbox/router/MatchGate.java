// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/** Whether prefix matches counted in the choice of a rank. The journal has the same names. */
public enum MatchGate
{
    /** The policy has no gate, or no scoring took place. */
    NONE,
    /** Matches count. */
    OPEN,
    /** The best match covers too little of the prompt: all count as 0. */
    CLOSED
}
