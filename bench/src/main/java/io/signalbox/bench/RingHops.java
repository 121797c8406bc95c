// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.ThreadedEngine;
import io.signalbox.event.InputWriter;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;

import java.util.function.Supplier;

/**
 * An input through the whole engine (ingress, scheduler, track, journal gate, listener) against the same three hops
 * over raw Disruptor rings that carry one long. Each operation waits for its own end, so the figure is latency.
 */
public final class RingHops
{
    private static final int OPERATIONS = 20_000;

    private RingHops()
    {
    }

    public static void main(final String[] args)
    {
        compare("input through all gates, raw rings blocking", BlockingWaitStrategy::new);
        compare("input through all gates, raw rings yielding", YieldingWaitStrategy::new);
    }

    private static void compare(final String name, final Supplier<WaitStrategy> rawWaiting)
    {
        try (RawHops raw = new RawHops(rawWaiting); EngineHops engine = new EngineHops())
        {
            Interleaved.compare(name, 5, 15, OPERATIONS, engine::round, raw::round);
        }
    }

    /** Wake inputs through a threaded engine with nothing to schedule. */
    private static final class EngineHops implements AutoCloseable
    {
        private final InputWriter writer = new InputWriter();
        private final ThreadedEngine engine;
        private volatile long seen;
        private long offered;

        EngineHops()
        {
            engine = new ThreadedEngine(new EngineConfig()
                .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(64).digestInterval(Integer.MAX_VALUE).build())
                .backend(new IdleBackend())
                .wakeSource(EngineConfig.WakeSource.CALLER)
                .listener((group, offset, length) -> seen++));
        }

        long round()
        {
            final long start = System.nanoTime();
            for (int i = 0; i < OPERATIONS; i++)
            {
                writer.wake().timeNanos(i);
                engine.offer(writer.buffer(), 0, writer.length(), null);
                offered++;
                while (seen < offered)
                {
                    Thread.yield();
                }
            }
            return System.nanoTime() - start;
        }

        @Override
        public void close()
        {
            engine.close();
        }
    }

    /** One long over three rings, each with its own thread. */
    private static final class RawHops implements AutoCloseable
    {
        private final RingBuffer<long[]> first;
        private final RingBuffer<long[]> second;
        private final BatchEventProcessor<long[]> forward;
        private final BatchEventProcessor<long[]> gate;
        private final BatchEventProcessor<long[]> last;
        private volatile long seen;
        private long offered;

        RawHops(final Supplier<WaitStrategy> waiting)
        {
            first = RingBuffer.createMultiProducer(() -> new long[1], 1024, waiting.get());
            second = RingBuffer.createSingleProducer(() -> new long[1], 1024, waiting.get());
            forward = new BatchEventProcessorBuilder().build(
                first, first.newBarrier(), (event, sequence, end) -> pass(event[0]));
            gate = new BatchEventProcessorBuilder().build(second, second.newBarrier(), (event, sequence, end) -> { });
            last = new BatchEventProcessorBuilder().build(
                second, second.newBarrier(gate.getSequence()), (event, sequence, end) -> seen = event[0]);
            first.addGatingSequences(forward.getSequence());
            second.addGatingSequences(last.getSequence());
            for (final Runnable processor : new Runnable[] {forward, gate, last})
            {
                final Thread thread = new Thread(processor, "raw-hop");
                thread.setDaemon(true);
                thread.start();
            }
        }

        private void pass(final long value)
        {
            final long sequence = second.next();
            second.get(sequence)[0] = value;
            second.publish(sequence);
        }

        long round()
        {
            final long start = System.nanoTime();
            for (int i = 0; i < OPERATIONS; i++)
            {
                final long sequence = first.next();
                first.get(sequence)[0] = ++offered;
                first.publish(sequence);
                while (seen < offered)
                {
                    Thread.yield();
                }
            }
            return System.nanoTime() - start;
        }

        @Override
        public void close()
        {
            forward.halt();
            gate.halt();
            last.halt();
        }
    }

    /** Never has work. */
    static final class IdleBackend implements Backend
    {
        @Override
        public BackendCapabilities capabilities()
        {
            return BackendCapabilities.named("idle").capturesExperts(true).build();
        }

        @Override
        public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
        {
        }

        @Override
        public void submit(final StepView step)
        {
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
}
