// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/** Ways to continue if no KV block is left for a running request. */
public enum UnderPressure
{
    /** A request gives up its blocks and is computed again later. */
    RECOMPUTE,
    /** The request keeps its blocks and waits for one; within a limit, behind which a request is recomputed. */
    PAUSE
}
