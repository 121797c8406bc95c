// SPDX-License-Identifier: Apache-2.0
package com.example.embedding;

import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.engine.WeightSwap;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts.RowState;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.export.RoutedExpertsFile;
import io.signalbox.scheduler.SchedulerConfig;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Generates rollouts for a trainer: several samples of each prompt, with the experts of every token, for two policies. */
public final class RolloutWorker
{
    private static final int PROMPTS = 4;
    private static final int SAMPLES = 3;
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(30);

    private RolloutWorker()
    {
    }

    /** @param args the directory for the rollouts. */
    public static void main(final String[] args) throws Exception
    {
        final EngineConfig config = new EngineConfig()
            .scheduler(SchedulerConfig.builder()
                .ranks(2).kvBlocks(1025).capture(new ModelShape(4, 64, 2)).build())
            .backend(new EchoBackend())
            // A trainer that falls behind slows the rollouts down; no row is lost.
            .untakenRows(EngineConfig.UntakenRows.HOLD_REQUESTS)
            .maxUntakenRowsBytes(64 << 20)
            .submitWait(EngineConfig.FOREVER);
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            collect(engine, Path.of(args[0]), "first");
            // The trainer has new weights: rollouts that run are computed again with them.
            engine.newWeights(WeightSwap.REQUEUE, "policy-2");
            collect(engine, Path.of(args[0]), "second");
        }
    }

    private static void collect(final SignalboxEngine engine, final Path directory, final String policy) throws Exception
    {
        final List<CompletionHandle> rollouts = new ArrayList<>();
        for (int i = 0; i < PROMPTS * SAMPLES; i++)
        {
            rollouts.add(engine.submit(CompletionRequest.prompt(prompt(i / SAMPLES))
                .maxNewTokens(8).temperature(1.0).seed(i).priority(1).routedExperts(0)));
        }
        int captured = 0;
        int inherited = 0;
        for (final CompletionHandle rollout : rollouts)
        {
            final RoutedExperts rows = rollout.routedExperts(LONG_ENOUGH).orElseThrow();
            if (rows.count(RowState.MISSING) > 0)
            {
                throw new IllegalStateException("a trainer must not guess: " + rows);
            }
            captured += rows.count(RowState.CAPTURED);
            inherited += rows.count(RowState.INHERITED);
            RoutedExpertsFile.npz(rows, directory.resolve(policy + "-" + rollout.requestId() + ".npz"));
            // Only now: with a journal, a restart hands them out until then.
            rollout.releaseRoutedExperts(LONG_ENOUGH);
        }
        System.out.println(policy + " policy, generation " + engine.weightGeneration() + ": " + rollouts.size() +
            " rollouts, " + (captured + inherited) + " rows, all there");
    }

    private static int[] prompt(final int number)
    {
        final int[] tokens = new int[40];
        for (int i = 0; i < tokens.length; i++)
        {
            tokens[i] = number * 100 + i;
        }
        return tokens;
    }
}
