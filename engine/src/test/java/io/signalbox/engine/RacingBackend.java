// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.StateDigest;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Completes steps on one thread per rank, as fast as each runs; some steps fail, and sometimes a rank is lost. */
final class RacingBackend implements Backend
{
    private final List<ExecutorService> rankThreads = new ArrayList<>();
    private final int stepsPerFault;
    private final int faultsPerLoss;
    private final int depth;
    private ModelShape shape;
    private CompletionSink sink;
    private volatile boolean closed;

    RacingBackend()
    {
        this(0);
    }

    /** Takes one step of a rank at a time; one fault in eight loses its rank. */
    RacingBackend(final int stepsPerFault)
    {
        this(stepsPerFault, 8, 1);
    }

    /**
     * @param stepsPerFault about one step in this many fails; 0: no step fails.
     * @param faultsPerLoss about one fault in this many loses its rank; 0: no rank is lost.
     */
    RacingBackend(final int stepsPerFault, final int faultsPerLoss, final int depth)
    {
        this.stepsPerFault = stepsPerFault;
        this.faultsPerLoss = faultsPerLoss;
        this.depth = depth;
    }

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("racing").capturesExperts(true).depth(depth).build();
    }

    @Override
    public void start(final int ranks, final ModelShape captureShape, final CompletionSink completions)
    {
        shape = captureShape;
        sink = completions;
        for (int rank = 0; rank < ranks; rank++)
        {
            rankThreads.add(Executors.newSingleThreadExecutor(work ->
            {
                final Thread thread = new Thread(work, "racing-rank");
                thread.setDaemon(true);
                return thread;
            }));
        }
    }

    @Override
    public void submit(final StepView plan)
    {
        final PlannedStep step = PlannedStep.of(plan);
        rankThreads.get(step.rank()).execute(() -> complete(step));
    }

    private void complete(final PlannedStep plan)
    {
        final int epoch = plan.epoch();
        final int rank = plan.rank();
        final long step = plan.step();
        final int tokens = plan.tokens();
        if (closed)
        {
            return;
        }
        try
        {
            sink.forward(CompletionSink.NOW, epoch, rank, step, step);
            final long chance = StateDigest.mix(rank, step, stepsPerFault) >>> 1;
            if (stepsPerFault > 0 && chance % stepsPerFault == 0)
            {
                final boolean rankLost = faultsPerLoss > 0 && chance / stepsPerFault % faultsPerLoss == 0;
                sink.fault(CompletionSink.NOW, epoch, rank, step,
                    rankLost ? StepFault.RANK_LOST : StepFault.STEP_FAILED, "planted");
                return;
            }
            final int rowBytes = shape.rowBytes();
            final UnsafeBuffer captured = new UnsafeBuffer(new byte[tokens * rowBytes]);
            for (int i = 0; i < captured.capacity(); i++)
            {
                // Experts of a layer follow one another, from one that step and token decide.
                final int k = i % shape.topK();
                captured.putByte(i, (byte)(StateDigest.mix(rank, step, i - k) + k & 0x3F));
            }
            sink.d2hComplete(
                CompletionSink.NOW, epoch, rank, step, plan.sampled(), new HeapSlice(captured, tokens, rowBytes));
        }
        catch (final IllegalStateException e)
        {
            closed = true;
        }
    }

    @Override
    public void abort(final int rank, final long step)
    {
    }

    @Override
    public void close()
    {
        closed = true;
        rankThreads.forEach(ExecutorService::shutdown);
    }
}
