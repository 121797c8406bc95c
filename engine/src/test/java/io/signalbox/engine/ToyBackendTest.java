// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.sun.management.ThreadMXBean;
import io.signalbox.engine.request.LiveRequests;
import io.signalbox.engine.request.Sampling;
import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.InputWriter;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A backend that reads token ids, block tables, sampling parameters and cache keys out of its plans generates, in any order
 * of steps, what its model generates without steps.
 */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ToyBackendTest
{
    private static final long LONG_ENOUGH = 60_000_000_000L;
    private static final int REQUESTS = 60;
    private static final int FIRST_ID = 1;

    /** Counts of a run. */
    private static final class Met extends EventReader
    {
        private int preempted;
        private int withdrawn;
        private int matchedBlocks;
        private int drafts;
        private int lateBound;

        @Override
        protected void onRequeued(final RequeuedDecoder requeued)
        {
            preempted += requeued.reason() == RequeueReason.PREEMPTED ? 1 : 0;
            withdrawn += requeued.reason() == RequeueReason.STEP_WITHDRAWN ? 1 : 0;
        }

        @Override
        protected void onSchedule(final StepView step)
        {
            for (int i = 0; i < step.admittedCount(); i++)
            {
                matchedBlocks += step.matchedBlocks(i);
            }
            for (int entry = 0; entry < step.entryCount(); entry++)
            {
                drafts += step.drafts(entry);
                lateBound += step.slack(entry) > 0 ? 1 : 0;
            }
        }
    }

    private final RecordingJournal journal = new RecordingJournal();
    private final Met met = new Met();
    private final List<CompletionRequest> requests = new ArrayList<>();
    private final List<CompletionHandle> handles = new ArrayList<>();

    private static CompletionRequest request(final SplittableRandom random)
    {
        final int template = random.nextInt(2);
        final int own = random.nextInt(20);
        final int[] prompt = new int[1 + random.nextInt(60)];
        Arrays.setAll(prompt, i -> (template * 7 + i + (i > 30 ? own : 0)) % ToyModel.VOCABULARY);
        final byte[] key = random.nextInt(3) == 0 ? new byte[]{5, 6} : new byte[0];
        final Sampling sampling = new Sampling(
            random.nextInt(3) * 0.5f, random.nextInt(3), 1f - random.nextInt(3) * 0.1f,
            random.nextBoolean() ? OptionalLong.empty() : OptionalLong.of(random.nextInt(100) - 50), random.nextInt(3) == 0);
        return CompletionRequest.prompt(prompt).maxNewTokens(random.nextInt(40))
            .stopAt(random.ints(random.nextInt(3), 0, 40).toArray()).cacheKey(key)
            .priority(random.nextInt(2)).sampled(sampling);
    }

    private SchedulerConfig run(final ToyBackend backend, final int depth, final int drafts, final boolean threaded)
        throws Exception
    {
        final SchedulerConfig config = SchedulerConfig.builder().ranks(2).blockSizeTokens(8).kvBlocks(25).stepTokens(40)
            .depth(depth).draftTokens(drafts).backOffNanos(0).maxFailures(0).build();
        final EngineConfig context = new EngineConfig().scheduler(config).backend(backend).journal(journal)
            .vocabularySize(ToyModel.VOCABULARY)
            .listener((group, offset, length) -> met.readGroup(group, offset, length));
        final EngineClient client = new EngineClient(context);
        final SplittableRandom random = new SplittableRandom(depth * 10L + drafts);
        try (Engine engine = threaded ? new ThreadedEngine(context) : new SteppedEngine(context))
        {
            client.connect(engine);
            for (int i = 0; i < REQUESTS; i++)
            {
                requests.add(request(random));
                handles.add(client.submit(requests.get(i), LONG_ENOUGH));
                if (!threaded && random.nextInt(4) == 0)
                {
                    backend.turn();
                }
            }
            while (!threaded && backend.turn())
            {
                engine.awaitProcessed();
            }
            for (final CompletionHandle handle : handles)
            {
                handle.ended().get(LONG_ENOUGH, TimeUnit.NANOSECONDS);
            }
        }
        return config;
    }

    private void assertAsTheModelSays()
    {
        for (int i = 0; i < REQUESTS; i++)
        {
            final List<ToyModel.Next> expected = ToyModel.generate(requests.get(i), FIRST_ID + i);
            final Completion ended = handles.get(i).ended().join();
            assertTrue(
                ended.reason() == FinishReason.LENGTH || ended.reason() == FinishReason.STOP, "request " + (FIRST_ID + i));
            assertArrayEquals(
                expected.stream().mapToInt(ToyModel.Next::token).toArray(), ended.tokens(), "request " + (FIRST_ID + i));
            final float[] logprobs = new float[requests.get(i).sampling().logprobs() ? expected.size() : 0];
            for (int token = 0; token < logprobs.length; token++)
            {
                logprobs[token] = expected.get(token).logprob();
            }
            assertArrayEquals(logprobs, handles.get(i).logprobs(), "log-probabilities of request " + (FIRST_ID + i));
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 0, false", "2, 0, false", "3, 3, false", "4, 3, false", "1, 3, false", "2, 3, false",
        "1, 0, true", "2, 0, true", "2, 3, true", "4, 3, true"})
    void shouldGenerateWhatTheModelGenerates(final int depth, final int drafts, final boolean threaded) throws Exception
    {
        final ToyBackend backend = new ToyBackend(depth, threaded, 25, ToyPlant.NONE);
        final SchedulerConfig config = run(backend, depth, drafts, threaded);
        assertAsTheModelSays();
        assertTrue(depth > 1 || !backend.continuesOnDevice(), "with one step at a time the host knows every token");
        assertTrue(threaded || met.preempted > 0 && met.withdrawn > 0 && met.matchedBlocks > 0,
            met.preempted + " preempted, " + met.withdrawn + " withdrawn, " + met.matchedBlocks + " matched");
        assertEquals(drafts > 0, met.drafts > 0);
        assertEquals(!threaded && drafts > 0 && depth > 1, !threaded && met.lateBound > 0);
        ImpossibleRowsTest.assertReplays(config, journal);
    }

    @ParameterizedTest
    @EnumSource(value = ToyPlant.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void shouldFindEachMistakeInReadingAPlan(final ToyPlant plant)
    {
        final Throwable found = assertThrows(Throwable.class, () ->
        {
            run(new ToyBackend(2, false, 0, plant), 2, 3, false);
            assertAsTheModelSays();
            assertEquals(0, met.withdrawn, "the engine refused results");
        });
        assertNotEquals(OutOfMemoryError.class, found.getClass());
    }

    /** The memory of requests that have ended is used again, and no request is left. */
    @Test
    void shouldKeepNothingOfEndedRequestsAndAllocateNothing() throws Exception
    {
        run(new ToyBackend(2, false, 25, ToyPlant.NONE), 2, 3, false);
        final Fold fold = new Fold();
        long allocated = 0;
        for (int round = 0; round < 100; round++)
        {
            final long before = allocatedBytes();
            for (final RecordingJournal.Recorded recorded : journal.recorded)
            {
                fold.group.wrap(recorded.group());
                fold.readGroup(fold.group, 0, recorded.group().length);
            }
            allocated = allocatedBytes() - before;
            assertEquals(0, fold.requests.size());
        }
        // Less than the smallest object for each group.
        assertTrue(
            allocated < 8L * journal.recorded.size(), allocated + " bytes for " + journal.recorded.size() + " groups");
    }

    private static long allocatedBytes()
    {
        return ((ThreadMXBean)ManagementFactory.getThreadMXBean()).getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    /** The part of the dispatcher that knows requests. */
    private static final class Fold extends EventReader
    {
        private final UnsafeBuffer group = new UnsafeBuffer();
        private final LiveRequests requests = new LiveRequests();

        @Override
        protected void onSubmit(final SubmitDecoder submit)
        {
            requests.submit(submit);
        }

        @Override
        protected void onAccepted(final AcceptedDecoder accepted)
        {
            requests.accept(accepted.requestId());
        }

        @Override
        protected void onSchedule(final StepView step)
        {
            requests.schedule(step);
        }

        @Override
        protected void onCommit(final CommitView commit)
        {
            requests.commit(commit);
        }

        @Override
        protected void onRequeued(final RequeuedDecoder requeued)
        {
            requests.requeue(requeued.requestId());
        }

        @Override
        protected void onFree(final FreeDecoder free)
        {
            requests.free(free.requestId());
        }
    }

    /** A raw input need not come from a client, which always submits all tokens. */
    @Test
    void shouldRefuseASubmitThatTheBackendCannotRun()
    {
        try (SteppedEngine engine = new SteppedEngine(
            new EngineConfig().backend(new ToyBackend(1, false, 0, ToyPlant.NONE))))
        {
            assertEquals("request 7 comes with 3 of its 40 prompt tokens, but the backend toy reads them; submit all " +
                "token ids of the prompt", refusal(engine, 3, 1f, 0));
            assertEquals("request 7 comes with 0 of its 40 prompt tokens, but the backend toy reads them; submit all " +
                "token ids of the prompt", refusal(engine, 0, 1f, 0));
            assertEquals("request 7 wants tokens sampled with temperature=1.0, topP=1.5 and topK=0; a temperature is " +
                "finite and not negative, topP is above 0 and at most 1, topK is 0 for all tokens or more",
                refusal(engine, 40, 1.5f, 0));
            assertTrue(refusal(engine, 40, 1f, -1).contains("topK=-1"));
        }
    }

    private static String refusal(final Engine engine, final int tokens, final float topP, final int topK)
    {
        final InputWriter writer = new InputWriter();
        writer.submit().timeNanos(1).requestId(7).conversationId(-1).predecessorId(-1).thinkTimeNanos(0).deadlineNanos(-1)
            .samplingSeed(0).promptTokens(40).maxNewTokens(1).rowsFrom(-1).priority(0).rankHint(-1)
            .topK(topK).temperature(1).topP(topP).rankHintRelaxed(Flag.NO)
            .putBlockHashes(new byte[0], 0, 0).putCacheKey(new byte[5], 0, 5)
            .putTokens(new byte[4 * tokens], 0, 4 * tokens);
        return assertThrows(IllegalArgumentException.class,
            () -> engine.offer(writer.buffer(), 0, writer.length(), null)).getMessage();
    }

    @Test
    void shouldRefuseARequestWithWhichTheBackendCanDoNothing()
    {
        final EngineConfig context = new EngineConfig().backend(new SilentBackend());
        final EngineClient client = new EngineClient(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final CompletionRequest request = CompletionRequest.prompt(new int[3]).maxNewTokens(1).logprobs();
            assertEquals("request 1 wants log-probabilities, which the backend silent does not report; submit it " +
                "without, or choose another backend",
                assertThrows(IllegalArgumentException.class, () -> client.submit(request, 1)).getMessage());
        }
    }
}
