// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/** Strictness of a request's rank hint. */
public enum Relax
{
    /** The request has no scheduling parameters. */
    NO_PARAMETERS,
    /** The hint binds: the request waits until the rank has room. */
    STRICT,
    /** Another rank may be chosen if the hinted one is full. */
    RELAXED,
    /**
     * The parameters do not say. The queue treats the hint as strict, every router as relaxed. TensorRT-LLM's routers of
     * PR 12315, and its conversation router, fail when they order such a request.
     */
    UNSTATED
}
