// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.backend.Backend;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.FinishReason;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.model.AttentionPlan;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertsPlan;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelFamily;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.QkNorm;
import io.signalbox.model.WeightType;
import io.signalbox.scheduler.SchedulerConfig;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Short runs of a tiny model behind the threaded engine, whose ends a test looks at. */
final class DecoderRuns
{
    static final ModelWeights WEIGHTS = GeneratedModel.weights(DecoderPlan.of(ModelFamily.OLMOE, WeightType.F32, 2, 32, 60,
        AttentionPlan.of(2, 2, 8, 10_000.0).withQkNorm(QkNorm.FULL_WIDTH).withClip(1.5),
        ExpertsPlan.softmax(8, 2, 12, false)).withMaxPositions(64), 11);
    /** For the fast kernels, of the same shape as far as a scheduler sees it. */
    static final ModelWeights BF16_WEIGHTS = GeneratedModel.weights(DecoderPlan.of(ModelFamily.OLMOE, WeightType.BF16, 2,
        32, 60, AttentionPlan.of(2, 2, 8, 10_000.0).withQkNorm(QkNorm.FULL_WIDTH).withClip(1.5),
        ExpertsPlan.softmax(8, 2, 16, false)).withMaxPositions(64), 11);
    static final ModelShape SHAPE = WEIGHTS.plan().shape();
    static final int REQUESTS = 4;
    /** Tokens of the first prompt; each of the others has one more. */
    static final int SHORTEST = 13;
    static final int KV_BLOCKS = 40;
    static final int BLOCK_SIZE = 4;
    static final int STEP_TOKENS = 16;
    private static final Duration WAIT = Duration.ofSeconds(120);

    /**
     * How requests ended, with which tokens and routed experts, and what the backend reported as faults.
     *
     * @param several entries of which a draft token was right.
     */
    record Ends(
        Map<FinishReason, Integer> reasons, List<List<Integer>> tokens, List<List<Short>> experts, List<String> faults,
        AtomicInteger preemptions, AtomicInteger several)
    {
    }

    /** Collects the sentences of faults. */
    private static final class Faults extends EventReader
    {
        private final List<String> sentences = new CopyOnWriteArrayList<>();
        private final AtomicInteger preemptions = new AtomicInteger();
        private final AtomicInteger several = new AtomicInteger();

        @Override
        protected void onBackendFault(final BackendFaultDecoder message)
        {
            sentences.add(message.detail());
        }

        @Override
        protected void onRequeued(final RequeuedDecoder message)
        {
            preemptions.addAndGet(message.reason() == RequeueReason.PREEMPTED ? 1 : 0);
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

    private DecoderRuns()
    {
    }

    /** A scheduler of one rank, which captures. */
    static SchedulerConfig.Builder scheduler()
    {
        return SchedulerConfig.builder().ranks(1).kvBlocks(KV_BLOCKS).blockSizeTokens(BLOCK_SIZE).stepTokens(STEP_TOKENS)
            .capture(SHAPE);
    }

    /** @param begun runs once the backend is started, before the first request. */
    static Ends serve(
        final Backend backend, final SchedulerConfig scheduler, final Path journal, final Runnable begun) throws Exception
    {
        return serve(backend, scheduler, WEIGHTS.plan().vocabulary(), journal, begun);
    }

    static Ends serve(
        final Backend backend, final SchedulerConfig scheduler, final int vocabulary, final Path journal,
        final Runnable begun) throws Exception
    {
        final Faults faults = new Faults();
        final EngineConfig config = new EngineConfig().scheduler(scheduler).backend(backend)
            .vocabularySize(vocabulary).listener(faults::readGroup)
            .runJournal(new DirectoryJournal(journal, JournalConfig.of(Durability.PROCESS)));
        final Ends ends = new Ends(new TreeMap<>(), new ArrayList<>(), new ArrayList<>(), faults.sentences,
            faults.preemptions, faults.several);
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            final List<CompletionHandle> handles = new ArrayList<>();
            begun.run();
            for (int request = 0; request < REQUESTS; request++)
            {
                handles.add(engine.submit(request(request, scheduler.capture() != null)));
            }
            for (final CompletionHandle handle : handles)
            {
                ends.reasons.merge(handle.await(WAIT).reason(), 1, Integer::sum);
                ends.tokens.add(Arrays.stream(handle.tokens()).boxed().toList());
                if (scheduler.capture() != null)
                {
                    ends.experts.add(experts(handle.takeRoutedExperts(WAIT).orElse(null)));
                }
            }
        }
        return ends;
    }

    /** Prompts of two kinds, so that some share their first blocks. */
    private static CompletionRequest request(final int index, final boolean rows)
    {
        final int[] prompt = new int[SHORTEST + index];
        Arrays.setAll(prompt, position -> position < 8 ? 7 * (index % 2) + position : 11 * index + position);
        final CompletionRequest request = CompletionRequest.prompt(prompt).maxNewTokens(8).seed(index)
            .temperature(index % 2 == 0 ? 0.0f : 0.8f);
        return rows ? request.routedExperts(0) : request;
    }

    private static List<Short> experts(final RoutedExperts rows)
    {
        final List<Short> ids = new ArrayList<>();
        for (final short id : rows.ids())
        {
            ids.add(id);
        }
        return ids;
    }
}
