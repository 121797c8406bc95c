// SPDX-License-Identifier: Apache-2.0
package io.signalbox.metrics;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Samples token 7 for each entry, on one thread; a test may hold it. The rows of all tokens name the same experts. */
class OneThreadBackend implements Backend
{
    static final int TOKEN = 7;

    private final ExecutorService device = Executors.newSingleThreadExecutor();
    private final CountDownLatch open;
    private ModelShape shape;
    private CompletionSink sink;

    OneThreadBackend()
    {
        this(new CountDownLatch(0));
    }

    /** @param open the device waits for it. */
    OneThreadBackend(final CountDownLatch open)
    {
        this.open = open;
    }

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("one thread").capturesExperts(true).build();
    }

    @Override
    public void start(final int ranks, final ModelShape captured, final CompletionSink completions)
    {
        shape = captured;
        sink = completions;
    }

    @Override
    public void submit(final StepView step)
    {
        final StepTokens results = new StepTokens().begin(step);
        for (int entry = 0; entry < step.entryCount(); entry++)
        {
            results.entry(step.start(entry));
            if (step.samples(entry))
            {
                results.accept(TOKEN);
            }
        }
        final Rows rows = shape == null ? null : new Rows(shape, step.tokens());
        device.execute(() -> complete(results, rows));
    }

    private void complete(final StepTokens results, final Rows rows)
    {
        try
        {
            open.await();
            sink.forward(System.nanoTime(), results.epoch(), results.rank(), results.step(), 0);
            sink.d2hComplete(System.nanoTime(), results.epoch(), results.rank(), results.step(), results, rows);
        }
        catch (final IllegalStateException e)
        {
            // The engine closes: nobody wants the result any more.
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void abort(final int rank, final long step)
    {
        // A result that comes all the same is ignored by the engine.
    }

    @Override
    public void close()
    {
        device.shutdownNow();
    }

    /** Every row names the experts 0 to top-k in each layer. */
    private record Rows(ModelShape shape, int rowCount, UnsafeBuffer ids) implements CaptureSlice
    {
        private Rows(final ModelShape shape, final int rowCount)
        {
            this(shape, rowCount, new UnsafeBuffer(new byte[rowCount * shape.rowBytes()]));
            for (int i = 0; i < ids.capacity(); i++)
            {
                ids.putByte(i, (byte)(i % shape.topK()));
            }
        }

        @Override
        public DirectBuffer buffer()
        {
            return ids;
        }

        @Override
        public int offset()
        {
            return 0;
        }

        @Override
        public int rowBytes()
        {
            return shape.rowBytes();
        }

        @Override
        public void release()
        {
            // The collector has the array.
        }
    }
}
