// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.backend.CaptureSlice;

/** Receives the results of {@link CaptureRing#poll}, in the order of steps. A slot is valid during the call only. */
public interface ResultListener
{
    /**
     * The result is on the host, whole, and that of its step.
     *
     * @param sampledTokens one per row of the plan; valid during the call.
     * @param rows          the routed experts, to be released once; null if capture is disabled.
     */
    void completed(CaptureSlot slot, int[] sampledTokens, int sampledCount, CaptureSlice rows);

    /**
     * The result is not to be used.
     *
     * @param fault one sentence: which step and slot, what was expected and what was found.
     */
    void failed(CaptureSlot slot, String fault);
}
