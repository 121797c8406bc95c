// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.backend.CaptureSlice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Keeps what a ring reports; rows stay lent until the test releases them. */
final class RecordedResults implements ResultListener
{
    final List<Long> steps = new ArrayList<>();
    final List<int[]> sampled = new ArrayList<>();
    final List<CaptureSlice> rows = new ArrayList<>();
    final List<String> faults = new ArrayList<>();

    @Override
    public void completed(
        final CaptureSlot slot, final int[] sampledTokens, final int sampledCount, final CaptureSlice slice)
    {
        steps.add(slot.step());
        sampled.add(Arrays.copyOf(sampledTokens, sampledCount));
        rows.add(slice);
    }

    @Override
    public void failed(final CaptureSlot slot, final String fault)
    {
        steps.add(slot.step());
        faults.add(fault);
    }

    CaptureSlice lastRows()
    {
        return rows.get(rows.size() - 1);
    }

    void releaseAll()
    {
        rows.forEach(CaptureSlice::release);
        rows.clear();
    }
}
