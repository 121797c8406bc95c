// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.event.EventReader;
import io.signalbox.event.StepView;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Journal, dispatch and visibility keep their order, in one thread or in three. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TrackHandlersTest
{
    private static final int REQUESTS = 500;
    private static final int TOKENS = 5;

    private final AtomicLong appendedSteps = new AtomicLong();
    private final AtomicLong launchedSteps = new AtomicLong();
    private final AtomicLong earlySteps = new AtomicLong();

    @ParameterizedTest
    @EnumSource(HandlerThreads.class)
    void shouldLaunchAStepOnlyWhenItsGroupIsAppended(final HandlerThreads threads) throws Exception
    {
        final EngineConfig config = new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(2).kvBlocks(257).build())
            .backend(new WatchedBackend()).journal(new StepJournal()).handlerThreads(threads)
            .ingressSlots(64).trackSlots(8);
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            final List<CompletionHandle> requests = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++)
            {
                requests.add(engine.submit(CompletionRequest.prompt(new int[] {i, 1, 2}).maxNewTokens(TOKENS)));
            }
            for (final CompletionHandle request : requests)
            {
                assertEquals(TOKENS, request.await().tokenCount());
            }
            assertArrayEquals(requests.get(0).tokens(), requests.get(REQUESTS - 1).tokens());
        }
        assertTrue(launchedSteps.get() > 0);
        assertEquals(appendedSteps.get(), launchedSteps.get());
        assertEquals(0, earlySteps.get(), "steps launched before their group was appended");
    }

    /** Counts the steps that it was given. */
    private final class StepJournal extends EventReader implements GroupJournal
    {
        @Override
        public void append(
            final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
        {
            readGroup(group, offset, length);
        }

        @Override
        protected void onSchedule(final StepView step)
        {
            appendedSteps.incrementAndGet();
        }

        @Override
        public void endOfBatch()
        {
        }

        @Override
        public void close()
        {
        }
    }

    /** Compares the steps that it was given with those of the journal. */
    private final class WatchedBackend extends CountingBackend
    {
        WatchedBackend()
        {
            super(0);
        }

        @Override
        public void submit(final StepView step)
        {
            if (launchedSteps.incrementAndGet() > appendedSteps.get())
            {
                earlySteps.incrementAndGet();
            }
            super.submit(step);
        }
    }
}
