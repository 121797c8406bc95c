// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.OrderedRequests.Ended;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Requests of many lengths, which end in another order than they are handed over. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OrderedRequestsTest
{
    private static final ModelShape SHAPE = new ModelShape(2, 64, 4);
    private static final int PROMPT = 20;
    private static final int FIRST_TOKENS = 200;

    private final List<Ended> ended = new ArrayList<>();

    private static SignalboxEngine engine()
    {
        return SignalboxEngine.launch(new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(2).kvBlocks(257).capture(SHAPE).build())
            .backend(new CountingBackend(0)));
    }

    /** The first request is the longest one. */
    private static int newTokens(final int index)
    {
        return index == 0 ? FIRST_TOKENS : 1 + index % 7;
    }

    private static List<CompletionRequest> requests(final int count)
    {
        return IntStream.range(0, count).mapToObj(index ->
            CompletionRequest.prompt(new int[PROMPT]).maxNewTokens(newTokens(index)).routedExperts(0)).toList();
    }

    @Test
    void shouldHandOverEachOnceInTheOrderOfTheRequests() throws Exception
    {
        try (SignalboxEngine engine = engine(); OrderedRequests run = new OrderedRequests(engine, true, ended::add))
        {
            run.run(requests(60));
        }

        assertEquals(IntStream.range(0, 60).boxed().toList(), ended.stream().map(Ended::index).toList());
        for (final Ended each : ended)
        {
            assertTrue(each.inOrder());
            assertEquals(newTokens(each.index()), each.completion().tokens().length);
            assertEquals(PROMPT + newTokens(each.index()) - 1, each.rows().rows());
            assertTrue(each.firstNanos() >= 0 && each.endNanos() >= each.firstNanos(), each.toString());
        }
    }

    @Test
    void shouldTakeNoRowsThatNobodyWants() throws Exception
    {
        try (SignalboxEngine engine = engine(); OrderedRequests run = new OrderedRequests(engine, false, ended::add))
        {
            run.run(List.of(CompletionRequest.prompt(new int[PROMPT]).maxNewTokens(3)));
        }
        assertNull(ended.get(0).rows());
    }

    /** What has ended behind the first is handed over, and nothing afterwards. */
    @Test
    void shouldHandOverWhatHasEndedIfItIsStopped() throws Exception
    {
        try (SignalboxEngine engine = SignalboxEngine.launch(new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(257).build()).backend(new CountingBackend(1_000_000))))
        {
            final OrderedRequests run = new OrderedRequests(engine, false, ended::add);
            final Thread runner = new Thread(() ->
            {
                try
                {
                    run.run(requests(8).stream().map(request -> request.routedExperts(-1)).toList());
                }
                catch (final InterruptedException e)
                {
                    Thread.currentThread().interrupt();
                }
            });
            runner.start();
            // The last request ends behind all others only if the others were submitted first.
            while (engine.stats().requests().accepted() < 8)
            {
                Thread.onSpinWait();
            }
            final CompletionHandle behind = engine.submit(CompletionRequest.prompt(new int[PROMPT]).maxNewTokens(20));
            behind.await();
            run.stop();
            final List<Integer> first = ended.stream().map(Ended::index).toList();
            runner.join();

            assertEquals(first, ended.stream().map(Ended::index).toList(), "nothing is handed over after the stop");
            assertEquals(first.stream().sorted().distinct().toList(), first);
            assertFalse(first.isEmpty());
            assertTrue(first.contains(0) || ended.stream().noneMatch(Ended::inOrder), ended.toString());
            run.close();
        }
    }
}
