// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

/** What a fault costs, as a backend reports it. */
public enum StepFault
{
    /** The step failed; its rank takes further steps. */
    STEP_FAILED,
    /** The rank takes no further step until it is reset. */
    RANK_LOST
}
