// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.FinishReason;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.Precision;
import io.signalbox.model.forward.TokenSampler;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.testkit.FaultyBackend.InjectedFault;
import io.signalbox.testkit.FaultyBackend;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A run of a real model behind the threaded engine, its pool so small that requests are preempted, with prefix hits,
 * cancels and faults: every token, log-probability, routed expert and combine weight must have the bits of the request
 * alone, and the journal must verify.
 *
 * @param gptOss whether the model is a gpt-oss, with windows and sinks, or the built-in one.
 * @param drafts draft tokens of an entry, from a source that is often wrong.
 * @param faults about one step in so many goes wrong; 0: none.
 */
public record CpuEngineRun(
    boolean gptOss, int ranks, int depth, int threads, Precision precision, int drafts, int faults)
{
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final ForwardModel BUILT_IN = TinyModels.generated();
    private static final ForwardModel GPT_OSS = TinyModels.gptOss();
    private static final int REQUESTS = 28;
    /** Tokens that prompts share, not whole blocks. */
    private static final int SHARED = 26;
    private static final int BLOCK_SIZE = 4;
    private static final int BLOCKS = 33;
    /** If draft tokens fill the steps, so that fewer requests run. */
    private static final int FEWER_BLOCKS = 29;
    private static final int MANY_DRAFTS = 4;

    /** Counts preemptions, entries whose draft tokens were right, and steps that are computed again. */
    private static final class Preemptions extends EventReader
    {
        private final AtomicInteger count = new AtomicInteger();
        private final AtomicInteger several = new AtomicInteger();
        private final AtomicInteger failures = new AtomicInteger();

        @Override
        protected void onRequeued(final RequeuedDecoder message)
        {
            if (message.reason() == RequeueReason.PREEMPTED)
            {
                count.incrementAndGet();
            }
        }

        @Override
        protected void onWithdrawn(final WithdrawnDecoder message)
        {
            failures.incrementAndGet();
        }

        @Override
        protected void onCommit(final CommitView commit)
        {
            for (int entry = 0; entry < commit.entryCount(); entry++)
            {
                several.addAndGet(commit.emitted(entry) > 1 ? 1 : 0);
            }
        }
    }

    private ForwardModel model()
    {
        return gptOss ? GPT_OSS : BUILT_IN;
    }

    private ModelShape shape()
    {
        return model().plan().shape().withCombineWeights(true);
    }

    private static int[] prompt(final int index)
    {
        final SplittableRandom random = new SplittableRandom(index);
        final int[] prompt = new int[1 + random.nextInt(60)];
        for (int i = 0; i < prompt.length; i++)
        {
            prompt[i] = i < SHARED ? index % 3 * 50 + i : random.nextInt(BUILT_IN.plan().vocabulary());
        }
        return prompt;
    }

    private static int newTokens(final int index)
    {
        return 1 + index * 7 % 40;
    }

    private static TokenSampler.SamplingChoice choice(final int index)
    {
        return index % 2 == 0 ? new TokenSampler.SamplingChoice(0, 0, 1, 5) :
            new TokenSampler.SamplingChoice(0.75f, index % 3 == 0 ? 0 : 20, 0.875f, 100 + index);
    }

    private static CompletionRequest request(final int index)
    {
        final TokenSampler.SamplingChoice choice = choice(index);
        return CompletionRequest.prompt(prompt(index)).maxNewTokens(newTokens(index)).temperature(choice.temperature())
            .topK(choice.topK()).topP(choice.topP()).seed(choice.seed()).logprobs().routedExperts(0);
    }

    /** Throws an {@link AssertionError} if a bit differs. */
    public void play(final Path temporary) throws Exception
    {
        final Preemptions preemptions = new Preemptions();
        final CountDownLatch submitted = new CountDownLatch(REQUESTS);
        final CpuBackend sound = new CpuBackend(model(), new CpuBackendConfig().threads(threads).precision(precision)
            .drafts(drafts == 0 ? null : new KnownAnswers(model(), precision)));
        final FaultyBackend faulty = new FaultyBackend(sound, depth, Math.max(1, faults), EnumSet.of(
            InjectedFault.STEP_FAILED, InjectedFault.RANK_LOST, InjectedFault.TWICE, InjectedFault.FALSE_TOKEN));
        final SchedulerConfig scheduler = SchedulerConfig.builder().ranks(ranks)
            .kvBlocks(drafts < MANY_DRAFTS ? BLOCKS : FEWER_BLOCKS)
            .blockSizeTokens(BLOCK_SIZE).stepTokens(32).depth(depth).draftTokens(drafts).capture(shape()).prefixCaching(true)
            .sameStepSharing(true).maxFailures(1000).build();
        final EngineConfig config = new EngineConfig().scheduler(scheduler).backend(faults == 0 ? sound : faulty)
            .vocabularySize(model().plan().vocabulary()).rankResets(1000)
            .impossibleRows(EngineConfig.ImpossibleRows.FAIL_STEP)
            .listener((group, offset, length) ->
            {
                // Requests that come while others end would rarely meet in the pool.
                awaitAll(submitted);
                preemptions.readGroup(group, offset, length);
            })
            .runJournal(new DirectoryJournal(temporary, JournalConfig.of(Durability.PROCESS)));
        final Map<Integer, CompletionHandle> handles = new HashMap<>();
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            submit(engine, handles, submitted);
            for (final Map.Entry<Integer, CompletionHandle> request : handles.entrySet())
            {
                check(request.getKey(), request.getValue());
            }
            assertTrue(engine.stats().prefixCache().hitTokens() > 0, "no prefix was shared");
        }
        assertTrue(preemptions.count.get() > 0, "nothing was preempted");
        assertTrue(faults > 0 || preemptions.failures.get() == 0, preemptions.failures + " steps were withdrawn");
        assertTrue(drafts == 0 || preemptions.several.get() > 20, preemptions.several + " entries with several tokens");
        assertEquals(faults > 0, !faulty.injected().isEmpty(), "faults: " + faulty.injected());
        assertNull(JournalVerifier.verify(temporary, Scheduler::new).difference());
    }

    private static void awaitAll(final CountDownLatch submitted)
    {
        try
        {
            submitted.await();
        }
        catch (final InterruptedException e)
        {
            throw new IllegalStateException(e);
        }
    }

    /** All requests at once; some are cancelled when they have a token. */
    private static void submit(
        final SignalboxEngine engine, final Map<Integer, CompletionHandle> handles, final CountDownLatch submitted)
        throws Exception
    {
        final List<CompletionHandle> cancelled = new ArrayList<>();
        for (int index = 0; index < REQUESTS; index++)
        {
            handles.put(index, engine.submit(request(index)));
            submitted.countDown();
            if (index % 9 == 4)
            {
                cancelled.add(handles.get(index));
            }
        }
        for (final CompletionHandle handle : cancelled)
        {
            handle.iterator().hasNext();
            handle.cancel();
        }
        for (final CompletionHandle handle : handles.values())
        {
            handle.await(LONG);
        }
    }

    private void check(final int index, final CompletionHandle handle) throws Exception
    {
        final FinishReason reason = handle.await(LONG).reason();
        final String what = "request " + index + ", " + reason;
        assertTrue(reason == FinishReason.LENGTH || reason == FinishReason.CANCELLED && index % 9 == 4, what);
        final LoneSequence alone =
            LoneSequence.of(model(), precision, prompt(index), newTokens(index), choice(index));
        final int count = handle.tokenCount();
        assertTrue(reason == FinishReason.CANCELLED || count == newTokens(index), what);
        assertArrayEquals(Arrays.copyOf(alone.tokens(), count), handle.tokens(), what);
        assertArrayEquals(Arrays.copyOf(alone.logprobs(), count), handle.logprobs(), what);
        final RoutedExperts rows = handle.takeRoutedExperts(LONG).orElse(null);
        assertEquals(prompt(index).length + Math.max(0, count - 1), rows.rows(), what);
        assertEquals(0, rows.count(RoutedExperts.RowState.MISSING), what);
        for (int row = 0; row < rows.rows(); row++)
        {
            for (int i = 0; i < shape().rowIds(); i++)
            {
                final int layer = i / shape().topK();
                final int k = i % shape().topK();
                assertEquals(alone.experts()[row][i], rows.expert(row, layer, k), what + ", position " + row);
                assertEquals(alone.weights()[row][i], rows.combineWeight(row, layer, k), what + ", position " + row);
            }
        }
    }
}
