// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaDriver.Event;
import io.signalbox.cuda.driver.CudaDriver.Stream;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.PinnedMemory;
import io.signalbox.cuda.driver.StreamWait;
import io.signalbox.cuda.kernel.ResultSlot;
import io.signalbox.cuda.kernel.StepMemory;

/** Everything that a ring takes from the driver, at addresses that stay the same until it is given back. */
final class RingMemory
{
    private static final int NOT_WRITTEN = -1;

    private final CudaDriver driver;
    private final CaptureLayout layout;
    private final DriverResources owned;
    private final DeviceMemory capture;
    private final DeviceMemory weights;
    private final DeviceMemory results;
    private final DeviceMemory stepBlock;
    private final DeviceMemory stepHeader;
    private final PinnedMemory pinnedResults;
    private final PinnedMemory pinnedBlocks;
    private final PinnedMemory words;
    private final Stream copyStream;

    RingMemory(final CudaDriver driver, final CaptureLayout layout, final DriverResources owned)
    {
        this.driver = driver;
        this.layout = layout;
        this.owned = owned;
        capture = layout.capturesRows() ? owned.device(layout.captureBytes()) : null;
        weights = layout.weightsBytes() == 0 ? null : owned.device(layout.weightsBytes());
        results = owned.device(layout.slots() * layout.resultStride());
        stepBlock = owned.device(layout.stepStride());
        stepHeader = owned.device(StepBlock.HEADER_BYTES);
        pinnedResults = owned.pinned(layout.slots() * layout.resultStride());
        pinnedBlocks = owned.pinned(layout.slots() * layout.stepStride());
        words = owned.pinned(layout.wordsBytes());
        copyStream = owned.urgentStream("copy");
        clear();
    }

    /** Elements that were never written read -1 in the capture buffer and as tokens; a result has no mark. */
    private void clear()
    {
        if (capture != null)
        {
            driver.fill(capture, NOT_WRITTEN, capture.bytes() / Integer.BYTES, copyStream);
        }
        driver.fill(results, NOT_WRITTEN, results.bytes() / Integer.BYTES, copyStream);
        for (int slot = 0; slot < layout.slots(); slot++)
        {
            driver.fill(deviceResult(slot), 0, ResultSlot.HEADER_BYTES / Integer.BYTES, copyStream);
        }
        driver.fill(stepBlock, 0, stepBlock.bytes() / Integer.BYTES, copyStream);
        driver.fill(stepHeader, 0, stepHeader.bytes() / Integer.BYTES, copyStream);
        StreamWait.await(driver, copyStream);
    }

    Event createEvent()
    {
        return owned.event();
    }

    /** For the kernels of the compute stream. */
    StepMemory stepMemory()
    {
        return stepMemory(stepBlock);
    }

    /** For the kernels of the copy stream, which are a step behind: they have a separate header. */
    StepMemory resultMemory()
    {
        return stepMemory(stepHeader);
    }

    private StepMemory stepMemory(final DeviceMemory step)
    {
        return new StepMemory(step, capture, results, layout.resultStride(), weights, layout.shape(), layout.maxTokens());
    }

    DeviceMemory stepBlock()
    {
        return stepBlock;
    }

    DeviceMemory stepHeader()
    {
        return stepHeader;
    }

    Stream copyStream()
    {
        return copyStream;
    }

    DeviceMemory deviceResult(final int slot)
    {
        return results.slice(slot * layout.resultStride(), layout.resultStride());
    }

    PinnedMemory pinnedResult(final int slot)
    {
        return pinnedResults.slice(slot * layout.resultStride(), layout.resultStride());
    }

    PinnedMemory pinnedBlock(final int slot)
    {
        return pinnedBlocks.slice(slot * layout.stepStride(), layout.stepStride());
    }

    PinnedMemory word(final int slot)
    {
        return words.slice((long)slot * CaptureLayout.LINE_BYTES, CaptureLayout.LINE_BYTES);
    }
}
