// SPDX-License-Identifier: Apache-2.0
package com.example.embedding;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Two steps in flight and three draft tokens, with a model that computes a token from the previous token and its position.
 * The draft model computes the same, except at each fourth position.
 */
final class DraftingBackend implements Backend
{
    static final int VOCABULARY = 1000;
    static final int DEPTH = 2;
    static final int DRAFT_TOKENS = 3;

    /** Where an entry that continues an entry of a step starts, and with which token, by entry of the step. */
    private record Ends(int[] starts, int[] tokens)
    {
    }

    private final ExecutorService device = Executors.newSingleThreadExecutor();
    /** The ends of the last steps of each rank. Used by the device's thread only. */
    private final Map<Integer, Map<Long, Ends>> formerSteps = new HashMap<>();
    private ModelShape shape;
    private CompletionSink sink;

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("drafting").readsTokens(true).capturesExperts(true).depth(DEPTH)
            .draftTokens(DRAFT_TOKENS).build();
    }

    @Override
    public void start(final int ranks, final ModelShape captured, final CompletionSink completions)
    {
        shape = captured;
        sink = completions;
    }

    @Override
    public void submit(final StepView plan)
    {
        final DraftingStep step = DraftingStep.of(plan);
        device.execute(() -> run(step));
    }

    private void run(final DraftingStep step)
    {
        try
        {
            // The engine plans the next step of the rank now, while this one is computed.
            sink.forward(CompletionSink.NOW, step.epoch(), step.rank(), step.number(), 0);
            final int[] fed = new int[step.tokens()];
            final StepTokens results = compute(step, fed);
            final EchoRows rows = shape == null ? null : new EchoRows(shape, fed);
            sink.d2hComplete(CompletionSink.NOW, step.epoch(), step.rank(), step.number(), results, rows);
        }
        catch (final IllegalStateException e)
        {
            // The engine closes: nobody wants the result any more.
        }
    }

    private StepTokens compute(final DraftingStep step, final int[] allFed)
    {
        final Map<Long, Ends> former = formerSteps.computeIfAbsent(step.rank(), rank -> new HashMap<>());
        final int count = step.entries().size();
        final Ends ends = new Ends(new int[count], new int[count]);
        final StepTokens results = new StepTokens().begin(step.epoch(), step.rank(), step.number());
        int tokens = 0;
        for (int i = 0; i < count; i++)
        {
            final DraftingStep.Entry entry = step.entries().get(i);
            int start = entry.start();
            int[] known = entry.hostTokens();
            if (known.length == 0)
            {
                final Ends before = former.get(step.number() - entry.stepsBack());
                start = before.starts()[entry.source()];
                known = new int[] {before.tokens()[entry.source()]};
            }
            final int[] fed = withDrafts(known, start, entry.drafts());
            System.arraycopy(fed, 0, allFed, tokens, fed.length);
            tokens += fed.length;
            final int accepted = accept(entry, start, known.length, fed, results.entry(start));
            ends.starts()[i] = start + known.length - 1 + accepted;
            // An entry that starts at its end computes nothing, and hands on the token that it was to feed.
            ends.tokens()[i] = accepted == 0 ? known[0] : results.token(results.tokenCount() - 1);
        }
        former.put(step.number(), ends);
        former.keySet().removeIf(number -> number <= step.number() - DEPTH);
        return results;
    }

    /** The draft model guesses each token from the one that it guessed before. */
    private static int[] withDrafts(final int[] known, final int start, final int drafts)
    {
        final int[] fed = Arrays.copyOf(known, known.length + drafts);
        for (int i = known.length; i < fed.length; i++)
        {
            final int token = next(fed[i - 1], start + i);
            fed[i] = (start + i) % 4 == 0 ? (token + 1) % VOCABULARY : token;
        }
        return fed;
    }

    /** Samples after the last known token, and after each draft token that is the one that was sampled. */
    private static int accept(
        final DraftingStep.Entry entry, final int start, final int known, final int[] fed, final StepTokens results)
    {
        int accepted = 0;
        boolean right = entry.samples();
        for (int i = known - 1; i < fed.length && right && start + i < entry.end(); i++)
        {
            final int sampled = next(fed[i], start + i + 1);
            results.accept(sampled);
            accepted++;
            right = i + 1 < fed.length && fed[i + 1] == sampled;
        }
        return accepted;
    }

    /** The token at a position. */
    private static int next(final int previous, final int position)
    {
        return Math.floorMod(31 * previous + 7 * position + 3, VOCABULARY);
    }

    /** One thread computes all steps, so a step that was withdrawn has written its last before a later step begins. */
    @Override
    public void abort(final int rank, final long step)
    {
        // A result that comes all the same is ignored by the engine.
    }

    @Override
    public void close()
    {
        device.shutdownNow();
        try
        {
            device.awaitTermination(10, TimeUnit.SECONDS);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }
}
