// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/** Blocks that no other request may take from an admitted one before it holds them. */
public enum AdmissionPromise
{
    /** None: the blocks of its known tokens are free when it is admitted, but others may take them before it does. */
    NOTHING,
    /** The blocks of its known tokens: of the prompt, and of what was generated before a preemption. */
    KNOWN,
    /** The blocks of its largest output; it is never preempted. */
    WHOLE
}
