// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.TestStrength;
import io.signalbox.event.EventReader;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * If a backend reports each step once and in order, the journal has no fault of it, even if its thread runs at full speed
 * on a machine with busy cores: 20,000 steps reduced, 5 million full, for each depth. If steps of the backend fail, the
 * journal has only these faults and late results of withdrawn steps.
 */
@Tag("threads")
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SoundBackendTest
{
    private static final ModelShape SHAPE = new ModelShape(1, 64, 2);
    private static final long LONG_ENOUGH = 600_000_000_000L;
    private static final int RANKS = 2;
    private static final int OPEN_REQUESTS = 8;
    private static final String LATE =
        "the backend reported step \\d+ of epoch \\d+ for rank \\d, which was given step \\d+ of epoch \\d+ last";

    /** Follows the groups of a run. */
    private static final class Watch extends EventReader implements GroupListener
    {
        private final List<String> sentences = new ArrayList<>();
        private final AtomicLong steps = new AtomicLong();

        @Override
        public void onGroup(final DirectBuffer group, final int offset, final int length)
        {
            readGroup(group, offset, length);
        }

        @Override
        protected void onSchedule(final StepView step)
        {
            steps.incrementAndGet();
        }

        @Override
        protected void onBackendFault(final BackendFaultDecoder fault)
        {
            sentences.add(fault.detail());
        }

        @Override
        protected void onWithdrawn(final WithdrawnDecoder withdrawn)
        {
            final String detail = withdrawn.detail();
            if (!detail.isEmpty())
            {
                sentences.add(detail);
            }
        }
    }

    /** @param stepsPerFault about one step in this many fails; 0: no step fails. */
    @ParameterizedTest
    @CsvSource({"2, 0", "4, 0", "2, 40", "4, 40"})
    void shouldNotBeAccused(final int depth, final int stepsPerFault) throws Exception
    {
        final Watch watch = new Watch();
        final SchedulerConfig config = SchedulerConfig.builder().ranks(RANKS).blockSizeTokens(16).kvBlocks(256)
            .depth(depth).backOffNanos(0).maxFailures(Integer.MAX_VALUE).capture(SHAPE).build();
        final EngineConfig context = new EngineConfig().scheduler(config)
            .backend(new RacingBackend(stepsPerFault, 0, depth)).listener(watch);
        final AtomicBoolean over = new AtomicBoolean();
        final List<Thread> load = load(over);
        try (SignalboxEngine engine = SignalboxEngine.launch(context))
        {
            run(engine, watch.steps, TestStrength.count(20_000, 5_000_000));
            assertTrue(engine.failure().isEmpty(), () -> "the engine failed: " + engine.failure());
        }
        finally
        {
            over.set(true);
        }
        for (final Thread thread : load)
        {
            thread.join();
        }
        watch.sentences.removeIf(each -> stepsPerFault > 0 && each.matches("planted|" + LATE));
        assertEquals(List.of(), watch.sentences, () -> "in " + watch.steps + " steps");
    }

    /** A thread for each core. */
    private static List<Thread> load(final AtomicBoolean over)
    {
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++)
        {
            final Thread thread = new Thread(() ->
            {
                while (!over.get())
                {
                    Thread.yield();
                }
            }, "load");
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
        return threads;
    }

    private static void run(final SignalboxEngine engine, final AtomicLong steps, final long wanted) throws Exception
    {
        final Deque<CompletionHandle> open = new ArrayDeque<>();
        for (int id = 0; steps.get() < wanted; id++)
        {
            if (open.size() == OPEN_REQUESTS)
            {
                assertWhole(open.remove());
            }
            // Steps differ in their entries and in the tokens of an entry.
            open.add(engine.submit(CompletionRequest.prompt(new int[1 + id % 90]).maxNewTokens(20 + id % 170)));
        }
        while (!open.isEmpty())
        {
            assertWhole(open.remove());
        }
    }

    private static void assertWhole(final CompletionHandle handle) throws Exception
    {
        final Completion end = handle.await(LONG_ENOUGH);
        assertTrue(end.refusal().isEmpty());
        assertEquals(FinishReason.LENGTH, end.reason());
        assertNotEquals(0, handle.tokenCount());
    }
}
