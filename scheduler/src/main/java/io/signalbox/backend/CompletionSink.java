// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

import io.signalbox.event.codec.FaultClass;

/**
 * Where a backend reports. Calls may come from any thread, in any order across ranks; for one rank {@code forward}
 * comes before the completion of the same step. A call blocks while the engine's ingress ring is full, and throws
 * {@link IllegalStateException} once the engine has failed or is closing: what it reports is then no longer wanted.
 */
public interface CompletionSink
{
    /** The step was launched. */
    void forward(long timeNanos, int epoch, int rank, long step, long deviceTimeNanos);

    /**
     * The step's results are on the host.
     *
     * @param sampledTokens one token id per row of the plan, in batch order; read before the call returns.
     * @param rows          the routed-expert rows, or null where capture is off; the engine releases it.
     */
    void d2hComplete(
        long timeNanos, int epoch, int rank, long step, int[] sampledTokens, int sampledCount, CaptureSlice rows);

    /** The step produced nothing and never will. */
    void fault(long timeNanos, int epoch, int rank, long step, FaultClass faultClass, String detail);
}
