// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.InvariantViolation;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaDriver.Stream;
import io.signalbox.cuda.driver.CudaException;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.StreamWait;
import io.signalbox.cuda.kernel.StepMemory;

/**
 * Brings the results of one rank's steps to the host, several steps at a time. For each step: {@link #tryOpen}, fill the
 * step block, {@link #begin}, give the kernels to the compute stream, {@link #finish}; and {@link #poll} now and then.
 *
 * <p>All memory is taken when the ring is made and keeps its place until {@link #close}: kernels and graphs that were
 * given its addresses are right for as long as the ring lives. A step allocates nothing. One thread uses a ring, with the
 * CUDA context current; only the release of rows may come from others. After a {@link CudaException} a ring can only be
 * closed.
 */
public final class CaptureRing implements AutoCloseable
{
    /** Polling a word tells nothing of a device that failed, so the driver is asked after so many polls in vain. */
    static final int POLLS_PER_QUERY = 512;

    private final CudaDriver driver;
    private final Stream computeStream;
    private final CaptureRingConfig settings;
    private final CaptureLayout layout;
    private final SlotGuards guards;
    private final DriverResources owned;
    private final RingMemory memory;
    private final ResultKernels kernels;
    private final Stream copyStream;
    private final CaptureSlot[] slots;
    private final int[] sampledTokens;
    private final boolean writesWords;
    // Slots are used in turn, so that counts of steps say which slot is next.
    private long opened;
    private long finished;
    private long reported;
    private boolean begun;
    private long lastStep = -1;
    private int pollsInVain;

    private CaptureRing(
        final CudaDriver driver,
        final Stream computeStream,
        final CaptureRingConfig settings,
        final RingParts parts,
        final DriverResources owned)
    {
        this.driver = driver;
        this.computeStream = computeStream;
        this.settings = settings;
        guards = parts.guards(new ResultCheck(settings));
        this.owned = owned;
        layout = settings.layout();
        owned.usedBy(computeStream);
        memory = new RingMemory(driver, layout, owned);
        copyStream = memory.copyStream();
        slots = new CaptureSlot[layout.slots()];
        for (int i = 0; i < slots.length; i++)
        {
            slots[i] = new CaptureSlot(i, layout, memory);
        }
        sampledTokens = new int[layout.maxTokens()];
        kernels = parts.kernels(driver, memory.resultMemory(), layout);
        warmUp();
        writesWords = canWriteWords();
    }

    /**
     * @param computeStream runs the kernels of every step; outlives the ring.
     * @param module        with the kernels that the ring itself runs.
     * @throws CudaException if memory does not suffice, with the ring's need; nothing is left allocated then.
     */
    public static CaptureRing create(
        final CudaDriver driver,
        final Stream computeStream,
        final CudaDriver.KernelModule module,
        final CaptureRingConfig settings)
    {
        return create(driver, computeStream, settings, new RingParts(module));
    }

    static CaptureRing create(
        final CudaDriver driver, final Stream computeStream, final CaptureRingConfig settings, final RingParts parts)
    {
        final DriverResources owned = new DriverResources(driver);
        try
        {
            return new CaptureRing(driver, computeStream, settings, parts, owned);
        }
        catch (final CudaException e)
        {
            owned.closeAfter(e);
            throw e.code() == CudaException.OUT_OF_MEMORY ? outOfMemory(e, settings) : e;
        }
        catch (final RuntimeException | Error e)
        {
            owned.closeAfter(e);
            throw e;
        }
    }

    private static CudaException outOfMemory(final CudaException cause, final CaptureRingConfig settings)
    {
        final CudaException worded = new CudaException(cause.operation() + " for the capture ring of rank " +
            settings.rank() + ", which needs " + settings.layout().describe() + ",", cause.code(), "out of memory");
        worded.initCause(cause);
        return worded;
    }

    /** A step without tokens, which loads the kernels and leaves slot 0 as it was. */
    private void warmUp()
    {
        driver.launch(kernels.pack(0), copyStream);
        driver.launch(kernels.open(), copyStream);
    }

    /** The words are zero, and no generation is. */
    private boolean canWriteWords()
    {
        try
        {
            driver.writeWord(slots[0].word().memory(), 0, copyStream);
            StreamWait.await(driver, copyStream);
            return true;
        }
        catch (final CudaException e)
        {
            if (e.code() == CudaException.NOT_SUPPORTED)
            {
                return false;
            }
            throw e;
        }
    }

    /**
     * Takes the next slot for a step. Steps are reported in the order in which they were opened.
     *
     * @param step larger than all before, from 0.
     * @return null while as many steps are in flight as may be, or the rows of the slot's last use are not released.
     */
    public CaptureSlot tryOpen(final long step)
    {
        check(opened == finished && step > lastStep, "opened", step);
        final CaptureSlot slot = slotOf(opened);
        if (inFlight() == settings.stepsInFlight() || !guards.mayOpen(slot))
        {
            return null;
        }
        slot.open(step, settings);
        lastStep = step;
        opened++;
        return slot;
    }

    /**
     * Gives the step block to the device; the step's kernels are to be given to the compute stream after that.
     *
     * @param bucket the tokens that the kernels are launched for, from those of the step to the most of any step.
     */
    public void begin(final CaptureSlot slot, final int bucket)
    {
        check(isCurrent(slot) && !begun, "begun", slot.step());
        begun = true;
        slot.begin(bucket);
        // The device gate: nothing of this step runs before the slot's last result has left the device and the slot is open.
        driver.waitFor(computeStream, slot.opened());
        driver.copyToDevice(memory.stepBlock(), slot.pinnedBlock(), slot.stepBlock().usedBytes(), computeStream);
    }

    /**
     * Has the result packed and copied once all is done that the compute stream was given until now, and the slot opened for
     * its next use after that. Of this the compute stream does nothing: its next step runs beside it.
     */
    public void finish(final CaptureSlot slot)
    {
        check(isCurrent(slot) && begun, "finished", slot.step());
        driver.record(slot.computed(), computeStream);
        // The kernels here read a separate header: the step block on the device is the next step's by then.
        driver.copyToDevice(memory.stepHeader(), slot.pinnedBlock(), StepBlock.HEADER_BYTES, copyStream);
        driver.waitFor(copyStream, slot.computed());
        driver.launch(kernels.pack(slot.bucket()), copyStream);
        driver.copyToHost(slot.pinnedResult(), slot.deviceResult(), slot.resultBytes(), copyStream);
        if (writesWords)
        {
            driver.writeWord(slot.word().memory(), slot.generation(), copyStream);
        }
        driver.record(slot.copied(), copyStream);
        driver.launch(kernels.open(), copyStream);
        driver.record(slot.opened(), copyStream);
        begun = false;
        finished++;
    }

    private boolean isCurrent(final CaptureSlot slot)
    {
        return opened == finished + 1 && slot == slotOf(finished);
    }

    private void check(final boolean holds, final String what, final long step)
    {
        if (!holds)
        {
            throw new InvariantViolation("step " + step + " of the capture ring was " + what +
                " although it was not its turn: the last one opened was step " + lastStep);
        }
    }

    /**
     * Reports every step whose result has arrived, in order, without waiting.
     *
     * @return how many steps were reported.
     * @throws CudaException if the device failed, sooner or later after it did.
     */
    public int poll(final ResultListener results)
    {
        int count = 0;
        while (reported < finished && hasArrived(slotOf(reported)))
        {
            report(slotOf(reported++), results);
            count++;
        }
        return count;
    }

    private boolean hasArrived(final CaptureSlot slot)
    {
        if (writesWords)
        {
            if (guards.isSignalled(slot))
            {
                pollsInVain = 0;
                return true;
            }
            if (++pollsInVain < POLLS_PER_QUERY)
            {
                return false;
            }
            pollsInVain = 0;
        }
        return driver.isComplete(slot.copied());
    }

    private void report(final CaptureSlot slot, final ResultListener results)
    {
        final String fault = guards.fault(slot);
        if (fault == null && layout.capturesRows())
        {
            complete(slot, results, slot.lend());
            return;
        }
        try
        {
            if (fault == null)
            {
                complete(slot, results, null);
            }
            else
            {
                results.failed(slot, fault);
            }
        }
        finally
        {
            slot.free();
        }
    }

    private void complete(final CaptureSlot slot, final ResultListener results, final CaptureSlice rows)
    {
        final int count = slot.stepBlock().entries();
        for (int entry = 0; entry < count; entry++)
        {
            sampledTokens[entry] = slot.result().sampledToken(entry);
        }
        results.completed(slot, sampledTokens, count, rows);
    }

    /** Later work of the stream finds the slot open: nothing of its last use is left. */
    public void waitUntilOpen(final int slot, final Stream stream)
    {
        driver.waitFor(stream, slots[slot].opened());
    }

    private CaptureSlot slotOf(final long use)
    {
        return slots[(int)(use % slots.length)];
    }

    /** Steps that were opened and not yet reported. */
    public int inFlight()
    {
        return (int)(opened - reported);
    }

    public CaptureLayout layout()
    {
        return layout;
    }

    /** Memory of each step and its result, for kernels; the same for as long as the ring lives. */
    public StepMemory stepMemory()
    {
        return memory.stepMemory();
    }

    /**
     * Waits for both streams and gives everything back, even if the device has failed. Rows that are still lent can be
     * released, but not read any more. A second call does nothing.
     *
     * @throws io.signalbox.cuda.driver.DeviceStuckException if a stream does not end in time; nothing is given back then.
     */
    @Override
    public void close()
    {
        owned.close();
    }
}
