// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/** What a request says of its rank hint. */
public enum Relax
{
    /** The request carries no scheduling parameters. */
    NO_PARAMETERS,
    /** The hint binds: the request waits until the rank has room. */
    STRICT,
    /** Another rank will do where the hinted one is full. */
    RELAXED,
    /**
     * Parameters that leave it open. Admission takes it for strict and every router for relaxed; TensorRT-LLM's
     * routers of PR 12315, and its conversation router, fail where such a request has to be ordered.
     */
    UNSTATED
}
