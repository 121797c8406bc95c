// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.StateDigest;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.PlanRows;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.experts.ModelShape;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Completes steps on one thread per rank, as fast as each happens to run. */
final class RacingBackend implements Backend
{
    private final List<ExecutorService> rankThreads = new ArrayList<>();
    private ModelShape shape;
    private CompletionSink sink;
    private volatile boolean closed;

    @Override
    public BackendCapabilities capabilities()
    {
        return new BackendCapabilities("racing", true, false);
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
    public void submit(final ScheduleDecoder plan)
    {
        final int rank = plan.rank();
        final int epoch = plan.epoch();
        final long step = plan.step();
        final int tokens = plan.tokens();
        final int rows = PlanRows.of(plan).count();
        rankThreads.get(rank).execute(() -> complete(epoch, rank, step, tokens, rows));
    }

    private void complete(final int epoch, final int rank, final long step, final int tokens, final int rows)
    {
        if (closed)
        {
            return;
        }
        try
        {
            sink.forward(step, epoch, rank, step, step);
            final int[] sampled = new int[rows];
            final int rowBytes = shape.rowBytes();
            final UnsafeBuffer captured = new UnsafeBuffer(new byte[tokens * rowBytes]);
            for (int i = 0; i < captured.capacity(); i++)
            {
                captured.putByte(i, (byte)(StateDigest.mix(rank, step, i) & 0x3F));
            }
            sink.d2hComplete(step, epoch, rank, step, sampled, rows, new HeapSlice(captured, tokens, rowBytes));
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
