// SPDX-License-Identifier: Apache-2.0
package com.example.embedding;

import io.signalbox.cpu.CpuBackend;
import io.signalbox.cpu.CpuBackendConfig;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.engine.WeightSwap;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.model.Checkpoint;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.serving.WeightVersion;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Generates rollouts with a real model, whose weights a trainer replaces while rollouts run. */
public final class PolicyLoop
{
    private static final int POLICIES = 3;
    private static final int ROLLOUTS = 8;
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(60);

    private PolicyLoop()
    {
    }

    /** @param args the directory for the journal, then one checkpoint for each policy; without them weights are random. */
    public static void main(final String[] args) throws Exception
    {
        final ModelWeights first = policy(args, 0);
        final CpuBackend backend = new CpuBackend(ForwardModel.of(first),
            new CpuBackendConfig().weightVersion(WeightVersion.of("policy-0", first)));
        final EngineConfig config = new EngineConfig().backend(backend).vocabularySize(first.plan().vocabulary())
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(513).capture(first.plan().shape()).build())
            .runJournal(new DirectoryJournal(Path.of(args[0]), JournalConfig.of(Durability.PROCESS)));
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            List<CompletionHandle> rollouts = submit(engine);
            for (int policy = 1; policy < POLICIES; policy++)
            {
                // Loads in this thread, while the rollouts run.
                final String version = backend.prepareWeights("policy-" + policy, policy(args, policy));
                // Running rollouts continue with the new weights, between two steps.
                final CompletionStage<Integer> begun = engine.newWeights(WeightSwap.CONTINUE, version);
                final List<CompletionHandle> next = submit(engine);
                System.out.println("steps compute with generation " + begun.toCompletableFuture().join());
                collect(rollouts, policy - 1);
                rollouts = next;
            }
            collect(rollouts, POLICIES - 1);
            System.out.println("generation " + engine.weightGeneration() + " at the end");
        }
    }

    private static ModelWeights policy(final String[] args, final int number)
    {
        return args.length > 1 ? Checkpoint.open(Path.of(args[1 + number])).weights() :
            GeneratedModel.weights(GeneratedModel.tiny(), 1 + number);
    }

    private static List<CompletionHandle> submit(final SignalboxEngine engine)
    {
        final List<CompletionHandle> rollouts = new ArrayList<>();
        for (int i = 0; i < ROLLOUTS; i++)
        {
            rollouts.add(engine.submit(CompletionRequest.prompt(new int[] {7, i, 11})
                .maxNewTokens(40).temperature(1.0).seed(i).logprobs().routedExperts(0)));
        }
        return rollouts;
    }

    /** The trainer needs the weights that computed each position: those of the first policy or of a later one. */
    private static void collect(final List<CompletionHandle> rollouts, final int firstGeneration) throws Exception
    {
        int rows = 0;
        for (final CompletionHandle rollout : rollouts)
        {
            final RoutedExperts experts = rollout.takeRoutedExperts(LONG_ENOUGH).orElseThrow();
            rows += experts.rows();
            if (experts.weights().stream().anyMatch(span -> span.generation() < firstGeneration))
            {
                throw new IllegalStateException("computed with weights that were replaced before: " + experts.weights());
            }
        }
        System.out.println("policy " + firstGeneration + ": " + rollouts.size() + " rollouts, " + rows +
            " rows of its weights or later ones");
    }
}
