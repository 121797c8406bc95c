// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.StateDigest;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Reports each step from several threads at once, each of which reports the whole of it, late ones included. */
final class CrowdedBackend implements Backend
{
    private static final int SEED = 77;

    private final int threads;
    private final ExecutorService pool;
    private ModelShape shape;
    private CompletionSink sink;

    CrowdedBackend(final int threads)
    {
        this.threads = threads;
        pool = Executors.newFixedThreadPool(threads);
    }

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("crowded").capturesExperts(true).build();
    }

    @Override
    public void start(final int ranks, final ModelShape captureShape, final CompletionSink completions)
    {
        shape = captureShape;
        sink = completions;
    }

    /** @return the first expert of a layer; the others follow it. */
    private static int firstExpert(final int position, final int layer, final int experts)
    {
        return (int)Long.remainderUnsigned(StateDigest.mix(SEED, position, layer), experts);
    }

    /** Checks that the row is the one of its position: all requests have the same row at one position. */
    static void assertRow(final RoutedExperts rows, final int position)
    {
        for (int layer = 0; layer < rows.shape().moeLayers(); layer++)
        {
            for (int k = 0; k < rows.shape().topK(); k++)
            {
                final int experts = rows.shape().experts();
                assertEquals((firstExpert(position, layer, experts) + k) % experts, rows.expert(position, layer, k));
            }
        }
    }

    @Override
    public void submit(final StepView plan)
    {
        final int epoch = plan.epoch();
        final long step = plan.step();
        final List<Integer> positions = new ArrayList<>();
        final int entries = plan.entryCount();
        final StepTokens results = new StepTokens().begin(plan);
        for (int entry = 0; entry < entries; entry++)
        {
            results.entry(plan.start(entry));
            if (plan.samples(entry))
            {
                results.accept(0);
            }
            for (int i = 0; i < plan.tokenCount(entry); i++)
            {
                positions.add(plan.start(entry) + i);
            }
        }
        for (int i = 0; i < threads; i++)
        {
            pool.execute(() -> report(epoch, step, positions, results));
        }
    }

    private void report(final int epoch, final long step, final List<Integer> positions, final StepTokens results)
    {
        try
        {
            sink.forward(CompletionSink.NOW, epoch, 0, step, step);
            sink.d2hComplete(CompletionSink.NOW, epoch, 0, step, results, slice(positions));
            sink.fault(CompletionSink.NOW, epoch, 0, step, StepFault.STEP_FAILED,
                "reported by " + Thread.currentThread().getName());
        }
        catch (final IllegalStateException e)
        {
            // The engine is closing.
        }
    }

    private CaptureSlice slice(final List<Integer> positions)
    {
        final UnsafeBuffer rows = new UnsafeBuffer(new byte[positions.size() * shape.rowBytes()]);
        int at = 0;
        for (final int position : positions)
        {
            for (int layer = 0; layer < shape.moeLayers(); layer++)
            {
                final int first = firstExpert(position, layer, shape.experts());
                for (int k = 0; k < shape.topK(); k++)
                {
                    rows.putByte(at++, (byte)((first + k) % shape.experts()));
                }
            }
        }
        return new OverwrittenRows(rows, positions.size(), shape.rowBytes());
    }

    @Override
    public void abort(final int rank, final long step)
    {
    }

    @Override
    public void close()
    {
        pool.shutdown();
    }
}
