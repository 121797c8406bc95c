// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.StateDigest;
import io.signalbox.backend.Backend;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.ForwardingBackend;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.experts.ModelShape;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A sound backend whose reports go wrong now and then, so that a program shows what it does then. Which step is hit by
 * which fault is a function of the seed, the rank and the step, and of nothing else. Thread-safe as far as the backend is.
 */
public final class FaultyBackend extends ForwardingBackend
{
    /** A report that goes wrong. */
    public enum InjectedFault
    {
        /** The step fails. */
        STEP_FAILED,
        /** The rank is lost; only a backend that resets ranks gets it back. */
        RANK_LOST,
        /** The step is reported twice. */
        TWICE,
        /** The step is never reported: an engine needs a step timeout to notice. */
        NEVER,
        /** The results are reported for a step that the rank was not given. */
        ANOTHER_STEP,
        /** A sampled token is no token. */
        FALSE_TOKEN,
        /** The rows do not fit their checksum. */
        SPOILT_ROWS
    }

    private final long seed;
    private final int oneIn;
    private final List<InjectedFault> kinds;
    private final Map<InjectedFault, Integer> injected = new ConcurrentHashMap<>();

    /**
     * @param oneIn about one step in so many is hit, at least 1.
     * @param kinds of faults, each as often as the others.
     */
    public FaultyBackend(final Backend backend, final long seed, final int oneIn, final Set<InjectedFault> kinds)
    {
        super(backend);
        if (oneIn < 1 || kinds.isEmpty())
        {
            throw new IllegalArgumentException("one step in " + oneIn + " shall be hit by one of " + kinds +
                "; give 1 or more, and at least one kind of fault");
        }
        this.seed = seed;
        this.oneIn = oneIn;
        this.kinds = List.copyOf(EnumSet.copyOf(kinds));
    }

    /** How often each kind of fault was injected. */
    public Map<InjectedFault, Integer> injected()
    {
        return Map.copyOf(injected);
    }

    @Override
    public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
    {
        super.start(ranks, shape, new Sink(completions));
    }

    /** The fault of a step; null: none. */
    private InjectedFault faultOf(final int rank, final long step)
    {
        final long draw = StateDigest.mix(seed, rank, step) >>> 1;
        return draw % oneIn != 0 ? null : kinds.get((int)(draw / oneIn % kinds.size()));
    }

    /** Passes reports on, except those that go wrong. */
    private final class Sink implements CompletionSink
    {
        private final CompletionSink engine;

        Sink(final CompletionSink engine)
        {
            this.engine = engine;
        }

        @Override
        public void forward(
            final long timeNanos, final int epoch, final int rank, final long step, final long deviceTimeNanos)
        {
            engine.forward(timeNanos, epoch, rank, step, deviceTimeNanos);
        }

        @Override
        public void fault(
            final long timeNanos,
            final int epoch,
            final int rank,
            final long step,
            final StepFault faultClass,
            final String detail)
        {
            engine.fault(timeNanos, epoch, rank, step, faultClass, detail);
        }

        @Override
        public void d2hComplete(
            final long timeNanos,
            final int epoch,
            final int rank,
            final long step,
            final StepTokens tokens,
            final CaptureSlice rows)
        {
            final InjectedFault fault = faultOf(rank, step);
            if (fault == null || fault == InjectedFault.SPOILT_ROWS && rows == null)
            {
                engine.d2hComplete(timeNanos, epoch, rank, step, tokens, rows);
                return;
            }
            injected.merge(fault, 1, Integer::sum);
            switch (fault)
            {
                case STEP_FAILED, RANK_LOST ->
                {
                    release(rows);
                    engine.fault(timeNanos, epoch, rank, step,
                        fault == InjectedFault.RANK_LOST ? StepFault.RANK_LOST : StepFault.STEP_FAILED, "injected");
                }
                case TWICE ->
                {
                    engine.d2hComplete(timeNanos, epoch, rank, step, tokens, rows);
                    engine.d2hComplete(timeNanos, epoch, rank, step, tokens, null);
                }
                case NEVER -> release(rows);
                case ANOTHER_STEP -> engine.d2hComplete(timeNanos, epoch, rank, step + 1_000_000, tokens, rows);
                case FALSE_TOKEN -> engine.d2hComplete(timeNanos, epoch, rank, step, falseTokens(tokens), rows);
                case SPOILT_ROWS -> engine.d2hComplete(timeNanos, epoch, rank, step, tokens, new SpoiltRows(rows));
                default -> throw new IllegalStateException(fault.name());
            }
        }
    }

    private static void release(final CaptureSlice rows)
    {
        if (rows != null)
        {
            rows.release();
        }
    }

    private static StepTokens falseTokens(final StepTokens tokens)
    {
        final StepTokens spoilt = new StepTokens().begin(tokens.epoch(), tokens.rank(), tokens.step());
        for (int entry = 0; entry < tokens.entryCount(); entry++)
        {
            spoilt.entry(tokens.start(entry));
            for (int i = 0; i < tokens.accepted(entry); i++)
            {
                spoilt.accept(-1);
            }
        }
        return spoilt;
    }
}
