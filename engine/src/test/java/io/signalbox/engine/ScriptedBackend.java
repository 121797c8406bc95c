// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps the last plan of each rank; a test can make any report, from any thread. */
final class ScriptedBackend implements Backend
{
    private final Map<Integer, PlannedStep> plans = new ConcurrentHashMap<>();
    private ModelShape shape;
    private volatile CompletionSink sink;

    @Override
    public BackendCapabilities capabilities()
    {
        return new BackendCapabilities("scripted", true, false);
    }

    @Override
    public void start(final int ranks, final ModelShape captureShape, final CompletionSink completions)
    {
        shape = captureShape;
        sink = completions;
    }

    @Override
    public void submit(final StepView plan)
    {
        plans.put(plan.rank(), PlannedStep.of(plan));
    }

    CompletionSink sink()
    {
        return sink;
    }

    PlannedStep plan(final int rank)
    {
        return plans.get(rank);
    }

    /** Rows of which every one names the experts 0 to top-k in each layer. */
    HeapSlice rows(final int count)
    {
        return rows(shape, count);
    }

    static HeapSlice rows(final ModelShape shape, final int count)
    {
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[count * shape.rowBytes()]);
        for (int i = 0; i < memory.capacity(); i++)
        {
            memory.putByte(i, (byte)(i % shape.topK()));
        }
        return new HeapSlice(memory, count, shape.rowBytes());
    }

    /** Reports the last plan of the rank as a sound backend does. */
    void complete(final int rank)
    {
        final PlannedStep plan = plans.get(rank);
        sink.d2hComplete(plan.step(), plan.epoch(), rank, plan.step(), plan.sampled(),
            shape == null ? null : rows(plan.tokens()));
    }

    @Override
    public void abort(final int rank, final long step)
    {
    }

    @Override
    public void close()
    {
    }
}
