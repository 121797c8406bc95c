// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/** Why a request gives up its KV blocks and waits again. */
public enum RequeueCause
{
    /** Another request needed them. */
    PREEMPTED,
    /** A step that computed it was withdrawn. */
    STEP_WITHDRAWN,
    /** Former weights computed their content. */
    NEW_WEIGHTS
}
