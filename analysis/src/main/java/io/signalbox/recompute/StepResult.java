// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A copy of what a backend reported for a step.
 *
 * @param rows  {@code null}: none.
 * @param fault {@code null}: none, and then there are results.
 */
record StepResult(
    int[] starts, int[] accepted, int[] tokens, float[] logprobs, DirectBuffer rows, StepFault fault, String detail)
{
    static StepResult of(final StepTokens tokens, final CaptureSlice slice)
    {
        final int entries = tokens.entryCount();
        final int[] starts = new int[entries];
        final int[] accepted = new int[entries];
        for (int entry = 0; entry < entries; entry++)
        {
            starts[entry] = tokens.start(entry);
            accepted[entry] = tokens.accepted(entry);
        }
        final int[] ids = new int[tokens.tokenCount()];
        final float[] logprobs = new float[ids.length];
        for (int i = 0; i < ids.length; i++)
        {
            ids[i] = tokens.token(i);
            logprobs[i] = tokens.logprob(i);
        }
        return new StepResult(starts, accepted, ids, logprobs, copy(slice), null, null);
    }

    private static DirectBuffer copy(final CaptureSlice slice)
    {
        if (slice == null)
        {
            return null;
        }
        final byte[] bytes = new byte[slice.rowCount() * slice.rowBytes()];
        slice.buffer().getBytes(slice.offset(), bytes);
        return new UnsafeBuffer(bytes);
    }

    static StepResult failed(final StepFault fault, final String detail)
    {
        return new StepResult(null, null, null, null, null, fault == null ? StepFault.RANK_LOST : fault,
            detail == null ? "the backend gave no reason" : detail);
    }
}
