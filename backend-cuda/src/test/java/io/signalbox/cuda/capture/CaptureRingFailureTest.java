// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import com.sun.management.ThreadMXBean;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.cuda.driver.CudaException;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.EmulatedDriver.Count;
import io.signalbox.experts.ModelShape;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Memory of a ring, and what it gives back when the driver answers with an error. */
class CaptureRingFailureTest
{
    private static final ModelShape SHAPE = new ModelShape(4, 32, 4);
    private static final CaptureRingConfig SETTINGS = EmulatedRing.settings(SHAPE, 16, 3, 2);
    private static final int WARM_UP = 20_000;
    private static final int SLACK_PER_ALLOCATION = 512;

    private final RecordedResults results = new RecordedResults();
    private EmulatedDevice device;

    @BeforeEach
    void open()
    {
        device = EmulatedDevice.open();
    }

    private CaptureRing create()
    {
        return CaptureRing.create(device.driver, device.compute, device.module, SETTINGS);
    }

    @Test
    void shouldTakeWhatWasComputedBefore()
    {
        final long free = device.driver.freeMemoryBytes();
        try (CaptureRing ring = create())
        {
            final long taken = free - device.driver.freeMemoryBytes();
            final long slack = EmulatedDriver.count(Count.DEVICE_ALLOCATIONS) * SLACK_PER_ALLOCATION;
            assertTrue(taken >= ring.layout().deviceBytes() && taken <= ring.layout().deviceBytes() + slack);
        }
        assertEquals(free, device.driver.freeMemoryBytes());
        EmulatedDevice.assertNothingIsLeft();
    }

    @Test
    void shouldSayWhatItNeedsWhereMemoryDoesNotSuffice()
    {
        EmulatedDriver.memoryBytes(SETTINGS.layout().captureBytes() + SLACK_PER_ALLOCATION);
        final CudaException e = assertThrows(CudaException.class, this::create);
        assertEquals(CudaException.OUT_OF_MEMORY, e.code());
        assertEquals("cuMemAlloc for the capture ring of rank 3, which needs " + SETTINGS.layout().deviceBytes() +
            " bytes of device memory and " + SETTINGS.layout().pinnedBytes() + " bytes of pinned memory (3 slots, 16 " +
            "tokens, 4 MoE layers, 4 of 32 experts), answered out of memory (2)", e.getMessage());
        EmulatedDevice.assertNothingIsLeft();
    }

    /** Every call of the construction fails once. */
    @Test
    void shouldLeaveNothingBehindWhereverItsConstructionFails()
    {
        final List<String> failed = new ArrayList<>();
        String next = failedOperation(1);
        while (next != null)
        {
            failed.add(next);
            next = failedOperation(failed.size() + 1);
        }
        assertTrue(failed.size() > 15, "the construction of a ring makes more calls than " + failed);
        assertEquals(List.of("cuStreamWriteValue32 on the stream copy", "cuStreamSynchronize on the stream copy"),
            failed.subList(failed.size() - 2, failed.size()), "the last calls of the construction");
    }

    /** The call that failed, or null if there is no such call. */
    private String failedOperation(final int call)
    {
        device = EmulatedDevice.open();
        EmulatedDriver.failAnyCall(call, CudaException.LAUNCH_FAILED);
        try
        {
            create();
            return null;
        }
        catch (final CudaException e)
        {
            assertEquals(CudaException.LAUNCH_FAILED, e.code());
            EmulatedDevice.assertNothingIsLeft();
            return e.operation();
        }
    }

    @Test
    void shouldGiveEverythingBackTwiceOverAndWithStepsInFlight()
    {
        EmulatedDriver.stepped();
        final EmulatedRing rig = new EmulatedRing(device, SETTINGS);
        rig.tryStep(1, 9);
        rig.tryStep(2, 9);
        final long before = EmulatedDriver.count(Count.BYTES_TO_HOST);
        rig.close();
        assertTrue(EmulatedDriver.count(Count.BYTES_TO_HOST) > before, "the copies ended before their memory was freed");
        rig.ring.close();
        EmulatedDevice.assertNothingIsLeft();
    }

    /** A kernel faults while the host only polls a word that will never come. */
    @Test
    void shouldTellOfADeviceThatFailedWhileItPolls()
    {
        EmulatedDriver.stepped();
        final EmulatedRing rig = new EmulatedRing(device, SETTINGS);
        EmulatedDriver.failLaunch(1, CudaException.LAUNCH_FAILED);
        rig.tryStep(1, 9);
        EmulatedDriver.advanceAll();
        for (int i = 1; i < CaptureRing.POLLS_PER_QUERY; i++)
        {
            assertEquals(0, rig.ring.poll(results));
        }
        final CudaException e = assertThrows(CudaException.class, () -> rig.ring.poll(results));
        assertEquals(CudaException.LAUNCH_FAILED, e.code());
        assertEquals("cuEventQuery on the stream copy", e.operation());
    }

    @Test
    void shouldTellOfADeviceThatFailedWhenTheNextStepBegins()
    {
        final EmulatedRing rig = new EmulatedRing(device, SETTINGS);
        EmulatedDriver.failLaunch(1, CudaException.LAUNCH_FAILED);
        assertThrows(CudaException.class, () -> rig.tryStep(1, 9));
        final CudaException e = assertThrows(CudaException.class, rig.ring::close);
        assertEquals("cuStreamSynchronize on the stream compute", e.operation());
    }

    @Test
    void shouldAllocateNothingPerStep()
    {
        try (EmulatedRing rig = new EmulatedRing(device, EmulatedRing.settings(new ModelShape(1, 8, 2), 4, 3, 2)))
        {
            final Releasing sink = new Releasing();
            rig.tryStep(0, 3);
            rig.ring.poll(sink);
            run(rig, sink, 1, WARM_UP);
            final long before = allocatedBytes();
            run(rig, sink, WARM_UP, WARM_UP + 10_000);
            final long allocated = allocatedBytes() - before;
            assertEquals(WARM_UP + 10_000, sink.completed);
            assertTrue(allocated < 1_000, allocated + " bytes in 10,000 steps");
        }
    }

    /** Steps with the ids of the first one, which are on the device. */
    private static void run(final EmulatedRing rig, final Releasing sink, final long first, final long end)
    {
        for (long step = first; step < end; step++)
        {
            final CaptureSlot slot = rig.ring.tryOpen(step);
            assertNotNull(slot);
            rig.fill(slot, 3);
            rig.ring.begin(slot, 4);
            rig.driver.launch(rig.captureCopies[0], rig.device.compute);
            rig.driver.launch(rig.sample, rig.device.compute);
            rig.ring.finish(slot);
            rig.ring.poll(sink);
        }
    }

    private static long allocatedBytes()
    {
        return ((ThreadMXBean)ManagementFactory.getThreadMXBean()).getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    /** Releases rows at once. */
    private static final class Releasing implements ResultListener
    {
        private int completed;

        @Override
        public void completed(
            final CaptureSlot slot, final int[] sampledTokens, final int sampledCount, final CaptureSlice rows)
        {
            rows.release();
            completed++;
        }

        @Override
        public void failed(final CaptureSlot slot, final String fault)
        {
            throw new IllegalStateException(fault);
        }
    }
}
