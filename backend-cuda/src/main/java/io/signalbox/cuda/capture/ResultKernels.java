// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.cuda.driver.CudaDriver.Launch;
import io.signalbox.cuda.kernel.KernelLaunches;

/**
 * The kernels of the copy stream: one packs the result of a step, prepared for steps of up to 1, 2, 4, … tokens; the other
 * opens the slot for its next use. Both find the step's size in its header, so only grids depend on it here.
 */
class ResultKernels
{
    private final Launch[] packs;
    private final Launch open;

    /** @param launches on the memory of the copy stream. */
    ResultKernels(final KernelLaunches launches, final CaptureLayout layout)
    {
        final int sizes = place(layout.maxTokens()) + 1;
        packs = new Launch[sizes];
        for (int i = 0; i < sizes; i++)
        {
            packs[i] = launches.packRows(layout.experts(), (int)Math.min(layout.maxTokens(), 1L << i));
        }
        open = launches.slotOpen();
    }

    /** @param tokens of the step, 0 or more. */
    Launch pack(final int tokens)
    {
        return packs[place(tokens)];
    }

    Launch open()
    {
        return open;
    }

    /** The exponent of the smallest power of two that is not below a number of tokens. */
    private static int place(final int tokens)
    {
        return tokens <= 1 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(tokens - 1);
    }
}
