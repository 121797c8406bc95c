// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
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
        return BackendCapabilities.named("scripted").capturesExperts(true).capturesCombineWeights(true).build();
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

    /** The combine weight of expert {@code k} is {@code 1 / (k + 3)} in each layer of each row. */
    static HeapSlice rows(final ModelShape shape, final int count)
    {
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[count * shape.rowBytes()]);
        for (int row = 0; row < count; row++)
        {
            final int start = row * shape.rowBytes();
            for (int i = 0; i < shape.idsBytes(); i++)
            {
                memory.putByte(start + i, (byte)(i % shape.topK()));
            }
            for (int i = 0; shape.combineWeights() && i < shape.rowIds(); i++)
            {
                memory.putFloat(
                    start + shape.idsBytes() + i * Float.BYTES, 1f / (i % shape.topK() + 3), ByteOrder.LITTLE_ENDIAN);
            }
        }
        return new HeapSlice(memory, count, shape.rowBytes());
    }

    /** Reports the last plan of the rank as a sound backend does. */
    void complete(final int rank)
    {
        final PlannedStep plan = plans.get(rank);
        sink.d2hComplete(CompletionSink.NOW, plan.epoch(), rank, plan.step(), plan.sampled(),
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
