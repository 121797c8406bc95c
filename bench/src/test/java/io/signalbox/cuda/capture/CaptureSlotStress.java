// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.InvariantViolation;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.PinnedMemory;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The thread of a rank, which opens a slot of the capture ring, and threads that release the rows of the slot. */
public class CaptureSlotStress
{
    private static final CaptureLayout LAYOUT = new CaptureLayout(null, 1, 2);
    private static final CaptureRingConfig CONFIG = new CaptureRingConfig(0, 1, LAYOUT, 2);
    private static final ThreadLocal<Slots> SLOTS = ThreadLocal.withInitial(Slots::new);

    /** Slots for one thread of jcstress: each of its threads makes states, and the memory of a ring has one owner. */
    private static final class Slots
    {
        private static final int PER_MEMORY = 1_000;

        private RingMemory memory;
        private int count;

        private CaptureSlot next()
        {
            // The resources of a driver remember every event until they are closed.
            if (count++ % PER_MEMORY == 0)
            {
                memory = memory();
            }
            return new CaptureSlot(0, LAYOUT, memory);
        }
    }

    /** A driver without a device: it gives memory of the host, and its streams have no work. */
    private static RingMemory memory()
    {
        final CudaDriver driver = (CudaDriver)Proxy.newProxyInstance(CaptureSlotStress.class.getClassLoader(),
            new Class<?>[] {CudaDriver.class}, (proxy, method, arguments) -> switch (method.getName())
            {
                case "allocate" -> new HostOnly((Long)arguments[0]);
                case "allocatePinned" -> new Pinned(ByteBuffer.allocateDirect(((Long)arguments[0]).intValue()));
                case "isIdle" -> true;
                case "deviceLimitNanos" -> 1L;
                default -> null;
            });
        return new RingMemory(driver, LAYOUT, new DriverResources(driver));
    }

    private record HostOnly(long bytes) implements DeviceMemory
    {
        @Override
        public long address()
        {
            return 0;
        }

        @Override
        public DeviceMemory slice(final long offset, final long count)
        {
            return new HostOnly(count);
        }
    }

    private record Pinned(ByteBuffer content) implements PinnedMemory
    {
        @Override
        public ByteBuffer buffer()
        {
            return content.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        }

        @Override
        public long bytes()
        {
            return content.capacity();
        }

        @Override
        public PinnedMemory slice(final long offset, final long count)
        {
            return new Pinned(content.slice((int)offset, (int)count));
        }
    }

    private static CaptureSlot opened()
    {
        final CaptureSlot slot = SLOTS.get().next();
        slot.open(1, CONFIG);
        return slot;
    }

    private static boolean release(final ResultSlice slice)
    {
        try
        {
            slice.release();
            return true;
        }
        catch (final InvariantViolation e)
        {
            return false;
        }
    }

    /** The next step of a slot writes rows as soon as the slot is free. */
    @JCStressTest
    @Outcome(id = {"1, 0", "1, 1"}, expect = Expect.ACCEPTABLE, desc = "The reader has the rows of its step.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The reader has rows of the next step.")
    @State
    public static class Reopened
    {
        private final CaptureSlot slot = opened();
        private final ResultSlice slice = slot.lend();
        private int rows = 1;

        @Actor
        public void reader(final II_Result result)
        {
            result.r1 = rows;
            slice.release();
        }

        @Actor
        public void rank(final II_Result result)
        {
            if (slot.isFree())
            {
                slot.open(2, CONFIG);
                rows = 2;
                result.r2 = 1;
            }
        }
    }

    /** Two threads release the same rows. */
    @JCStressTest
    @Outcome(id = {"true, false, true", "false, true, true"}, expect = Expect.ACCEPTABLE, desc = "One is told so.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Both or neither, or the slot is lost.")
    @State
    public static class ReleasedTwice
    {
        private final CaptureSlot slot = opened();
        private final ResultSlice slice = slot.lend();

        @Actor
        public void first(final ZZZ_Result result)
        {
            result.r1 = release(slice);
        }

        @Actor
        public void second(final ZZZ_Result result)
        {
            result.r2 = release(slice);
        }

        @Arbiter
        public void after(final ZZZ_Result result)
        {
            result.r3 = slot.isFree();
        }
    }

    /** Rows of a former step are released once more while the slot has a step again. */
    @JCStressTest
    @Outcome(id = "false, true, true", expect = Expect.ACCEPTABLE, desc = "The late release is refused.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The late release frees the slot of the step, or the step's own fails.")
    @State
    public static class ReleasedLate
    {
        private final CaptureSlot slot = opened();
        private final ResultSlice former = slot.lend();
        private final ResultSlice slice;

        /** The second step has the slot. */
        public ReleasedLate()
        {
            former.release();
            slot.open(2, CONFIG);
            slice = slot.lend();
        }

        @Actor
        public void late(final ZZZ_Result result)
        {
            result.r1 = release(former);
        }

        @Actor
        public void inTime(final ZZZ_Result result)
        {
            result.r2 = release(slice);
        }

        @Arbiter
        public void after(final ZZZ_Result result)
        {
            result.r3 = slot.isFree();
        }
    }
}
