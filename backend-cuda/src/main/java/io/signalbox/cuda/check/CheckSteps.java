// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.InvariantViolation;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.PinnedMemory;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelLaunches;
import io.signalbox.cuda.kernel.ResultSlot;
import io.signalbox.cuda.kernel.StepMemory;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Locale;

/**
 * Runs steps with up to two in flight, through all that a step of the backend goes through: step block, kernels, packed
 * result, copy, completion word. The caller submits steps in order and awaits each before the second after it.
 */
final class CheckSteps
{
    static final int SLOTS = 2;
    private static final int BLOCK_HEADER_BYTES = 64;
    private static final int BLOCK_TOKEN_BYTES = 16;
    private static final int WORD_BYTES = 64;
    private static final byte POISON = 0x5A;
    private static final long GIVE_UP_NANOS = 30_000_000_000L;

    private final CudaDriver driver;
    private final StepSetup setup;
    private final CudaDriver.Stream compute;
    private final CudaDriver.Stream copies;
    private final CudaDriver.Event[] computed = new CudaDriver.Event[SLOTS];
    private final CudaDriver.Event[] copied = new CudaDriver.Event[SLOTS];
    private final PinnedMemory[] blocks = new PinnedMemory[SLOTS];
    private final PinnedMemory[] words = new PinnedMemory[SLOTS];
    private final UnsafeBuffer[] seen = new UnsafeBuffer[SLOTS];
    private final DeviceMemory[] deviceResults = new DeviceMemory[SLOTS];
    private final PinnedMemory[] results = new PinnedMemory[SLOTS];
    private final UnsafeBuffer[] resultBuffers = new UnsafeBuffer[SLOTS];
    private final ResultSlot result = new ResultSlot();
    private final StepMemory memory;
    private final StepKernels kernels;
    private final boolean writesWords;
    private final long fingerprint;

    CheckSteps(final CheckDevice device, final Scratch scratch, final StepSetup setup)
    {
        driver = device.driver();
        this.setup = setup;
        fingerprint = setup.logits().seed();
        compute = scratch.stream("compute");
        copies = scratch.stream("copy");
        memory = memory(scratch, setup);
        for (int slot = 0; slot < SLOTS; slot++)
        {
            computed[slot] = scratch.event();
            copied[slot] = scratch.event();
            blocks[slot] = scratch.pinned(memory.step().bytes());
            words[slot] = scratch.pinned(WORD_BYTES);
            seen[slot] = new UnsafeBuffer(words[slot].buffer());
            deviceResults[slot] = memory.results().slice(slot * memory.resultStride(), memory.resultStride());
            results[slot] = scratch.pinned(memory.resultStride());
            resultBuffers[slot] = new UnsafeBuffer(results[slot].buffer());
        }
        writesWords = device.writesWords();
        kernels = new StepKernels(driver, scratch, compute, setup, new KernelLaunches(driver, device.module(), memory));
    }

    private static StepMemory memory(final Scratch scratch, final StepSetup setup)
    {
        final int tokens = setup.maxTokens();
        final int topK = setup.spec().topK();
        final int layers = setup.form() == null ? 0 : setup.layers();
        final long stride = ResultSlot.maxBytes(tokens, tokens, layers, topK, setup.spec().idBytes());
        final DeviceMemory capture = setup.form() == null ? null
            : scratch.device((long)SLOTS * setup.layers() * tokens * topK * Short.BYTES);
        return new StepMemory(scratch.device(BLOCK_HEADER_BYTES + (long)tokens * BLOCK_TOKEN_BYTES), capture,
            scratch.device(SLOTS * stride), stride, setup.layers(), tokens, topK, setup.spec().idBytes());
    }

    boolean usesWords()
    {
        return writesWords;
    }

    /** Enqueues a step; its slot's last step must have been awaited. */
    void submit(final long step, final int tokens)
    {
        final int slot = slot(step);
        writeBlock(blocks[slot], step, tokens);
        resultBuffers[slot].setMemory(0, resultBuffers[slot].capacity(), POISON);
        driver.waitFor(compute, copied[slot]);
        driver.copyToDevice(memory.step(), blocks[slot], memory.step().bytes(), compute);
        kernels.run();
        driver.record(computed[slot], compute);
        driver.waitFor(copies, computed[slot]);
        driver.copyToHost(results[slot], deviceResults[slot], copiedBytes(tokens), copies);
        if (writesWords)
        {
            driver.writeWord(words[slot], generation(step), copies);
        }
        driver.record(copied[slot], copies);
    }

    private void writeBlock(final PinnedMemory target, final long step, final int tokens)
    {
        final int most = setup.maxTokens();
        target.buffer().putLong(0, step).putInt(8, tokens).putInt(12, tokens).putInt(16, slot(step)).putInt(20, 0)
            .putInt(24, 0).putInt(28, generation(step)).putLong(32, fingerprint);
        for (int token = 0; token < tokens; token++)
        {
            target.buffer().putLong(BLOCK_HEADER_BYTES + token * Long.BYTES, request(step, token));
            target.buffer().putInt(BLOCK_HEADER_BYTES + most * Long.BYTES + token * Integer.BYTES, position(step, token));
            target.buffer().putInt(
                BLOCK_HEADER_BYTES + most * (Long.BYTES + Integer.BYTES) + token * Integer.BYTES, token);
        }
    }

    private long copiedBytes(final int tokens)
    {
        return Math.min(memory.resultStride(),
            ResultSlot.maxBytes(tokens, tokens, setup.form() == null ? 0 : setup.layers(), memory.topK(), memory.idBytes()));
    }

    /** Polls until the step's result is on the host. The result is valid until the slot's next step is submitted. */
    ResultSlot await(final long step)
    {
        final int slot = slot(step);
        final long since = System.nanoTime();
        while (!isHere(step, slot))
        {
            Thread.onSpinWait();
            if (System.nanoTime() - since > GIVE_UP_NANOS)
            {
                throw new InvariantViolation(
                    "step " + step + " did not complete within " + GIVE_UP_NANOS / 1_000_000_000L + " s");
            }
        }
        return result.wrap(resultBuffers[slot], 0, resultBuffers[slot].capacity());
    }

    private boolean isHere(final long step, final int slot)
    {
        return writesWords ? seen[slot].getIntVolatile(0) == generation(step) : driver.isComplete(copied[slot]);
    }

    /** What is wrong with a step's result as such, or null. */
    String fault(final ResultSlot received, final long step, final int tokens)
    {
        final String fault = received.fault(step, 0, generation(step), fingerprint);
        if (fault != null)
        {
            return "step " + step + ": " + fault + ".";
        }
        if (received.tokens() != tokens || received.unwritten() != 0 || received.bad() != 0)
        {
            return "step " + step + " of " + tokens + " tokens: the result has " + received.tokens() + " tokens, " +
                received.unwritten() + " ids that were not written and " + received.bad() + " bad ones.";
        }
        return null;
    }

    /** The bytes of a step's result. */
    byte[] bytes(final long step, final int tokens)
    {
        final byte[] bytes = new byte[(int)copiedBytes(tokens)];
        resultBuffers[slot(step)].getBytes(0, bytes);
        return bytes;
    }

    /** The capture view of a step, {@code [layer][token][k]}; nothing may be in flight. */
    short[] captureView(final long step, final Scratch scratch)
    {
        final long bytes = memory.slotStride() * Short.BYTES;
        final PinnedMemory host = scratch.pinned(bytes);
        driver.copyToHost(host, memory.capture().slice(slot(step) * bytes, bytes), bytes, copies);
        driver.synchronize(copies);
        final short[] view = new short[(int)memory.slotStride()];
        host.buffer().asShortBuffer().get(view);
        return view;
    }

    private static int slot(final long step)
    {
        return (int)(step % SLOTS);
    }

    /** Steps count from 1, so that no generation is 0. */
    private static int generation(final long step)
    {
        return (int)step;
    }

    static long request(final long step, final int token)
    {
        return step * 1009 + token;
    }

    static int position(final long step, final int token)
    {
        return (int)((step * 31 + token) & 0xFFFF);
    }

    StepSetup setup()
    {
        return setup;
    }

    static String describe(final CaptureForm form)
    {
        return form == null ? "off" : form.name().toLowerCase(Locale.ROOT);
    }
}
