// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Writes down what a backend reports, one line per event. */
final class RecordingSink implements CompletionSink
{
    final List<String> events = new ArrayList<>();
    final List<CaptureSlice> slices = new ArrayList<>();
    /** Of completions. */
    final List<Integer> epochs = new ArrayList<>();

    @Override
    public void forward(
        final long timeNanos, final int epoch, final int rank, final long step, final long deviceTimeNanos)
    {
        events.add(timeNanos + " forward rank " + rank + " step " + step);
    }

    @Override
    public void d2hComplete(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final StepTokens tokens,
        final CaptureSlice rows)
    {
        events.add(timeNanos + " complete rank " + rank + " step " + step + " tokens " +
            IntStream.range(0, tokens.tokenCount()).mapToObj(tokens::token).toList());
        epochs.add(epoch);
        if (rows != null)
        {
            slices.add(rows);
        }
    }

    @Override
    public void fault(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final StepFault faultClass,
        final String detail)
    {
        events.add(timeNanos + " " + faultClass + " rank " + rank + " step " + step + " " + detail);
    }
}
