// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/** Blocks that no other request may take from an admitted one before it holds them. */
public enum AdmissionPromise
{
    /** The blocks of its known tokens are free at admission, but another request may take them first. */
    NOTHING,
    /** The blocks of its largest output are promised to the request; it is never preempted. */
    WHOLE
}
