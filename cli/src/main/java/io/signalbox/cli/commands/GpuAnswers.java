// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cuda.check.EngineRunner;
import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.FinishReason;
import io.signalbox.engine.SignalboxEngine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The answers of an engine to prompts, each of which is given again whenever it was answered, until the time is over. */
final class GpuAnswers
{
    /** A request that takes longer hangs. */
    private static final Duration WAIT = Duration.ofMinutes(1);

    private final List<int[]> prompts;
    private final int tokens;
    private final int[][] answers;
    private final short[][] experts;
    private long requests;
    private long others;
    private long rows;
    private long missingRows;

    /** @param tokens of each answer. */
    GpuAnswers(final List<int[]> prompts, final int tokens)
    {
        this.prompts = prompts;
        this.tokens = tokens;
        answers = new int[prompts.size()][];
        experts = new short[prompts.size()][];
    }

    private record GivenPrompt(int prompt, CompletionHandle handle)
    {
    }

    /** @param seconds after which no prompt is given again. */
    void collect(final EngineConfig config, final double seconds)
    {
        final Queue<GivenPrompt> running = new ArrayDeque<>();
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            final long startNanos = System.nanoTime();
            for (int prompt = 0; prompt < prompts.size(); prompt++)
            {
                running.add(ask(engine, prompt));
            }
            while (!running.isEmpty())
            {
                final GivenPrompt next = running.remove();
                add(next);
                if (System.nanoTime() - startNanos < seconds * TimeUnit.SECONDS.toNanos(1))
                {
                    running.add(ask(engine, next.prompt));
                }
            }
        }
        catch (final TimeoutException e)
        {
            throw new ConfigException("a request did not end within " + WAIT.toSeconds() + " s.");
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while requests ran", e);
        }
    }

    private GivenPrompt ask(final SignalboxEngine engine, final int prompt)
    {
        return new GivenPrompt(prompt, engine.submit(
            CompletionRequest.prompt(prompts.get(prompt)).maxNewTokens(tokens).temperature(0).routedExperts(0)));
    }

    private void add(final GivenPrompt given) throws InterruptedException, TimeoutException
    {
        final Completion completion = given.handle.await(WAIT);
        if (completion.reason() != FinishReason.LENGTH)
        {
            throw new ConfigException("a request ended by " + completion.reason() + " instead of its length.");
        }
        final short[] ids = given.handle.takeRoutedExperts(WAIT).orElseThrow().ids();
        requests++;
        rows += completion.capturedRows() + completion.inheritedRows() + completion.missingRows();
        missingRows += completion.missingRows();
        if (answers[given.prompt] == null)
        {
            answers[given.prompt] = completion.tokens();
            experts[given.prompt] = ids;
        }
        else if (!Arrays.equals(answers[given.prompt], completion.tokens()) ||
            !Arrays.equals(experts[given.prompt], ids))
        {
            others++;
        }
    }

    EngineRunner.Served served(final long preemptions, final long severalTokens)
    {
        return new EngineRunner.Served(
            List.of(answers), requests, others, preemptions, severalTokens, rows, missingRows);
    }
}
