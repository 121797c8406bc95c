// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.InvariantViolation;
import io.signalbox.cuda.driver.CudaDriver.Event;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.PinnedMemory;
import io.signalbox.cuda.kernel.ResultSlot;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One slot of a capture ring: what a step writes, on both sides, from its opening until its rows are released. All but
 * the release belongs to the rank's thread.
 */
public final class CaptureSlot
{
    /** A slice that is released once too often is noticed for as many uses of its slot. */
    private static final int SLICES = 8;

    private final int index;
    private final CaptureLayout layout;
    private final PinnedMemory pinnedBlock;
    private final PinnedMemory pinnedResult;
    private final DeviceMemory deviceResult;
    private final CompletionWord word;
    private final Event computed;
    private final Event copied;
    private final Event opened;
    private final StepBlock stepBlock;
    private final UnsafeBuffer resultBuffer;
    private final ResultSlot result;
    private final ResultSlice[] slices = new ResultSlice[SLICES];
    private final AtomicBoolean free = new AtomicBoolean(true);
    private long uses;
    private long step;
    private int generation;
    private int bucket;
    private int resultBytes;

    CaptureSlot(final int index, final CaptureLayout layout, final RingMemory memory)
    {
        this.index = index;
        this.layout = layout;
        pinnedBlock = memory.pinnedBlock(index);
        pinnedResult = memory.pinnedResult(index);
        deviceResult = memory.deviceResult(index);
        word = new CompletionWord(memory.word(index));
        computed = memory.createEvent();
        copied = memory.createEvent();
        opened = memory.createEvent();
        stepBlock = new StepBlock(pinnedBlock.buffer(), layout.maxTokens());
        resultBuffer = new UnsafeBuffer(pinnedResult.buffer());
        result = new ResultSlot().wrap(resultBuffer, 0, resultBuffer.capacity());
        for (int i = 0; i < SLICES; i++)
        {
            slices[i] = new ResultSlice(this);
        }
    }

    /** To be filled between opening and beginning the step. */
    public StepBlock stepBlock()
    {
        return stepBlock;
    }

    /** The step that the slot was opened for last. */
    public long step()
    {
        return step;
    }

    public int index()
    {
        return index;
    }

    /** Whether its last use is over on the host: reported, and the rows released. */
    boolean isFree()
    {
        return free.getAcquire();
    }

    void open(final long newStep, final CaptureRingConfig settings)
    {
        free.setPlain(false);
        uses++;
        step = newStep;
        generation = generationOf(newStep);
        stepBlock.open(newStep, generation, index, settings.rank(), settings.fingerprint());
    }

    /**
     * The low 32 bits, but never 0, which a word holds before its first use. That steps 2^32 and 2^32 + 1 share one does no
     * harm: steps that follow each other use different slots.
     */
    static int generationOf(final long step)
    {
        return (int)step == 0 ? 1 : (int)step;
    }

    /**
     * Natural logarithm of the probability of an entry's token, of a step whose block wants it; for a listener, during its
     * call.
     */
    public float logprob(final int entry)
    {
        return result.logprob(entry);
    }

    /** Tokens and entries are known from here on. */
    void begin(final int stepBucket)
    {
        bucket = stepBucket;
        stepBlock.bucket(stepBucket);
        resultBytes = layout.resultBytes(stepBlock.tokens(), stepBlock.entries(), stepBlock.extraWords());
    }

    /** Lends the rows of a result that was checked, until the slice is released. */
    ResultSlice lend()
    {
        final ResultSlice slice = slices[(int)(uses % SLICES)];
        slice.lend(step, result.expertsOffset(), result.tokens(), layout.rowBytes());
        return slice;
    }

    /** All earlier reads and writes are done before the slot is opened again. Any thread. */
    void free()
    {
        if (!free.compareAndSet(false, true))
        {
            throw new InvariantViolation("slot " + index + " of the capture ring was freed twice");
        }
    }

    int generation()
    {
        return generation;
    }

    /** Tokens that the step's kernels are launched for. */
    int bucket()
    {
        return bucket;
    }

    int resultBytes()
    {
        return resultBytes;
    }

    UnsafeBuffer resultBuffer()
    {
        return resultBuffer;
    }

    ResultSlot result()
    {
        return result;
    }

    CompletionWord word()
    {
        return word;
    }

    PinnedMemory pinnedBlock()
    {
        return pinnedBlock;
    }

    PinnedMemory pinnedResult()
    {
        return pinnedResult;
    }

    DeviceMemory deviceResult()
    {
        return deviceResult;
    }

    Event computed()
    {
        return computed;
    }

    /** The result is in pinned memory. */
    Event copied()
    {
        return copied;
    }

    /** The slot is as a step must find it, after its last use. */
    Event opened()
    {
        return opened;
    }
}
