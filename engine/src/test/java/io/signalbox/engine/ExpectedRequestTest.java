// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The scheduler's thread wakes up while a request is encoded, and sleeps again if nothing comes of it. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExpectedRequestTest
{
    private static Set<Thread> schedulers()
    {
        final Set<Thread> schedulers = new HashSet<>(Thread.getAllStackTraces().keySet());
        schedulers.removeIf(thread -> !thread.getName().equals(ThreadedEngine.SCHEDULER_THREAD));
        return schedulers;
    }

    private static long waits(final Thread thread)
    {
        return ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId()).getWaitedCount();
    }

    private static void awaitSleep(final Thread thread)
    {
        while (thread.getState() != Thread.State.WAITING)
        {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 512})
    void shouldWakeTheSchedulerBeforeARequestIsEncoded(final int promptTokens)
    {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "one core: the scheduler sleeps until it has a request");
        final Set<Thread> others = schedulers();
        try (SignalboxEngine engine = SignalboxEngine.launch(new EngineConfig().vocabularySize(10)
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(64).build()).backend(new SilentBackend())))
        {
            final List<Thread> mine = new ArrayList<>(schedulers());
            mine.removeAll(others);
            assertEquals(1, mine.size());
            final int[] prompt = new int[promptTokens];
            prompt[promptTokens - 1] = 10;
            for (int round = 0; round < 3; round++)
            {
                awaitSleep(mine.get(0));
                final long before = waits(mine.get(0));
                assertThrows(IllegalArgumentException.class, () -> engine.submit(CompletionRequest.prompt(prompt)));
                while (waits(mine.get(0)) == before)
                {
                    Thread.onSpinWait();
                }
            }
        }
    }
}
