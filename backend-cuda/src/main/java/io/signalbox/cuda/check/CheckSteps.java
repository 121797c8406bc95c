// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.InvariantViolation;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.cuda.DeviceSteps;
import io.signalbox.cuda.capture.CaptureSlot;
import io.signalbox.cuda.capture.ResultListener;
import io.signalbox.cuda.capture.StepBlock;
import io.signalbox.cuda.driver.DeviceStuckException;

/**
 * Runs steps of made-up requests the way a rank of the backend does, with up to two in flight. Each step is awaited before
 * the second after it is submitted; what was awaited is valid until the next is.
 */
final class CheckSteps implements ResultListener, AutoCloseable
{
    private static final long REQUESTS_PER_STEP = 100_003;
    private static final int POSITION_MASK = 0xFFFF;
    private static final long GIVE_UP_NANOS = 30_000_000_000L;

    private final CheckDevice device;
    private final DeviceSteps steps;
    private final ReceivedStep[] received = new ReceivedStep[StepSetup.STEPS_IN_FLIGHT + 1];
    private ReceivedStep awaited;

    CheckSteps(final CheckDevice device, final StepSetup setup)
    {
        this(device, setup, new DeviceSteps(device.driver(), setup.config(), setup.form()));
    }

    /** Steps of another kind that read the same memory; to be closed before these. */
    CheckSteps beside(final StepSetup setup)
    {
        return new CheckSteps(device, setup, steps.beside(setup.config(), setup.form()));
    }

    private CheckSteps(final CheckDevice device, final StepSetup setup, final DeviceSteps steps)
    {
        this.device = device;
        this.steps = steps;
        for (int i = 0; i < received.length; i++)
        {
            received[i] = new ReceivedStep(setup);
        }
    }

    DeviceSteps deviceSteps()
    {
        return steps;
    }

    /** The request of a token; steps count from 1. */
    static long request(final long step, final int token)
    {
        return step * REQUESTS_PER_STEP + token;
    }

    static int position(final long step, final int token)
    {
        return (int)(step * 31 + token) & POSITION_MASK;
    }

    /** Every token is a separate row, as when all requests decode. */
    void submit(final long step, final int tokens)
    {
        final CaptureSlot slot = steps.ring().tryOpen(step);
        if (slot == null)
        {
            throw new InvariantViolation("step " + step + " was submitted and two are in flight");
        }
        final StepBlock block = slot.stepBlock();
        block.begin(0, tokens, tokens);
        for (int token = 0; token < tokens; token++)
        {
            block.token(token, request(step, token), position(step, token));
            block.entry(token, token);
        }
        steps.launch(slot);
    }

    /** Polls until the step's result is on the host, checked by the ring: header, checksum and ids. */
    ReceivedStep await(final long step)
    {
        if (awaited != null)
        {
            awaited.release();
        }
        awaited = received[(int)(step % received.length)];
        final long since = System.nanoTime();
        while (awaited.step() != step)
        {
            if (steps.ring().poll(this) == 0)
            {
                Thread.onSpinWait();
                giveUp(step, since);
            }
        }
        return awaited;
    }

    private static void giveUp(final long step, final long since)
    {
        if (System.nanoTime() - since > GIVE_UP_NANOS)
        {
            throw new DeviceStuckException(
                "step " + step + " did not complete within " + GIVE_UP_NANOS / 1_000_000_000L + " s");
        }
    }

    @Override
    public void completed(
        final CaptureSlot slot, final int[] sampledTokens, final int sampledCount, final CaptureSlice rows)
    {
        received[(int)(slot.step() % received.length)].complete(slot, sampledTokens, sampledCount, rows);
    }

    @Override
    public void failed(final CaptureSlot slot, final String fault)
    {
        received[(int)(slot.step() % received.length)].fail(slot, fault);
    }

    /** The device's context stays current for the thread. */
    @Override
    public void close()
    {
        steps.close();
        device.makeCurrent();
    }
}
