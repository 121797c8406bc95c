// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.experts.ModelShape;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * One interleaving of a rank that submits and polls, two streams that advance by pieces of copies and kernels, and a
 * client that reads rows and releases them late. The first fault is kept.
 */
final class RingRun implements ResultListener
{
    static final ModelShape SHAPE = new ModelShape(2, 11, 3);
    static final int MAX_TOKENS = 5;
    static final int ACTIONS = 120;
    static final int MAX_ACTION = 4095;
    /** Smaller than any copy of a step. */
    private static final int COPY_QUANTUM = 48;
    private static final int KINDS = 8;
    private static final int MAX_QUANTA = 4;

    private final EmulatedRing rig;
    private final Deque<Submitted> submitted = new ArrayDeque<>();
    private final List<Lent> lent = new ArrayList<>();
    private long nextStep = 1;
    private int reported;
    private String violation;

    private RingRun(final EmulatedRing rig)
    {
        this.rig = rig;
    }

    static void stepDevice()
    {
        EmulatedDriver.stepped();
        EmulatedDriver.quantum(COPY_QUANTUM, false);
    }

    /** The first fault, or null: then all steps are reported, and all rows released. */
    static String of(final EmulatedRing rig, final List<Integer> actions)
    {
        final RingRun run = new RingRun(rig);
        for (int i = 0; i < actions.size() && run.violation == null; i++)
        {
            run.act(actions.get(i) % KINDS, actions.get(i) / KINDS);
        }
        run.finish();
        return run.violation;
    }

    private void act(final int kind, final int choice)
    {
        switch (kind)
        {
            case 0, 1 -> submit(choice % (rig.layout.maxTokens() + 1));
            case 2, 3 -> rig.ring.poll(this);
            case 4 -> release(choice);
            default -> advance(choice);
        }
    }

    private void submit(final int tokens)
    {
        // Gaps in the numbers of steps are no gaps in the ring.
        final long step = nextStep + tokens % 2;
        if (rig.tryStep(step, tokens) != null)
        {
            submitted.add(new Submitted(step, tokens));
            nextStep = step + 1;
        }
    }

    private static void advance(final int choice)
    {
        for (int i = 0; i <= choice / KINDS % MAX_QUANTA; i++)
        {
            EmulatedDriver.advance(choice % KINDS);
        }
    }

    private void release(final int choice)
    {
        if (!lent.isEmpty())
        {
            final Lent rows = lent.remove(choice % lent.size());
            // Read as late as may be: what overwrites them early is seen here.
            found(StepOracle.wrongRows(rig.layout, rows.step, rows.tokens, rows.slice));
            if (violation == null)
            {
                rows.slice.release();
            }
        }
    }

    private void finish()
    {
        EmulatedDriver.advanceAll();
        rig.ring.poll(this);
        while (!lent.isEmpty() && violation == null)
        {
            release(0);
        }
        if (!submitted.isEmpty())
        {
            found(submitted.size() + " steps were never reported");
        }
    }

    @Override
    public void completed(
        final CaptureSlot slot, final int[] sampledTokens, final int sampledCount, final CaptureSlice rows)
    {
        final Submitted expected = next(slot);
        found(StepOracle.wrongTokens(expected.step, expected.tokens, sampledTokens, sampledCount));
        found(StepOracle.wrongRows(rig.layout, expected.step, expected.tokens, rows));
        lent.add(new Lent(expected.step, expected.tokens, rows));
    }

    @Override
    public void failed(final CaptureSlot slot, final String fault)
    {
        next(slot);
        found(fault);
    }

    private Submitted next(final CaptureSlot slot)
    {
        final Submitted expected = submitted.remove();
        reported++;
        if (slot.step() != expected.step)
        {
            found("report " + reported + " is of step " + slot.step() + ", expected was " + expected.step);
        }
        return expected;
    }

    private void found(final String what)
    {
        violation = violation == null ? what : violation;
    }

    /** A step that was begun. */
    private record Submitted(long step, int tokens)
    {
    }

    /** Rows that are not released yet. */
    private record Lent(long step, int tokens, CaptureSlice slice)
    {
    }
}
