// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.printing.PromptAnswer;
import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.engine.TokenListener;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.workload.PromptLine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Submits prompts to an engine, a bounded number at a time, and hands over their answers in the order of the prompts. */
final class PromptRun
{
    /** Requests of a run that wait or run; their answers wait in memory for those before them. */
    private static final int MOST_AT_ONCE = 4096;
    private static final Duration ROWS_WAIT = Duration.ofMinutes(1);

    private final SignalboxEngine engine;
    private final boolean experts;
    private final boolean logprobs;
    private final Consumer<PromptAnswer> answers;
    private final ArrayDeque<Submitted> submitted = new ArrayDeque<>();

    PromptRun(
        final SignalboxEngine engine, final boolean experts, final boolean logprobs, final Consumer<PromptAnswer> answers)
    {
        this.engine = engine;
        this.experts = experts;
        this.logprobs = logprobs;
        this.answers = answers;
    }

    /** @throws IllegalStateException if the engine fails; answers up to then have been handed over. */
    void run(final List<PromptLine> lines, final List<CompletionRequest> requests)
    {
        try
        {
            for (int i = 0; i < lines.size(); i++)
            {
                if (submitted.size() == MOST_AT_ONCE)
                {
                    finish(submitted.remove());
                }
                submitted.add(new Submitted(lines.get(i), engine.submit(requests.get(i)), experts));
            }
            while (!submitted.isEmpty())
            {
                finish(submitted.remove());
            }
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new ConfigException("the run was interrupted; start it again.");
        }
    }

    private void finish(final Submitted request) throws InterruptedException
    {
        final Completion completion = request.handle.await();
        request.ended.await();
        if (request.failure != null)
        {
            throw new IllegalStateException("the routed experts of request " + completion.requestId() + " did not come",
                request.failure);
        }
        answers.accept(new PromptAnswer(request.line.id(), request.line.prompt().length, completion,
            logprobs ? request.handle.logprobs() : null, request.rows, request.firstNanos, request.endNanos));
    }

    /** A request under way, and when its tokens came. */
    private static final class Submitted implements TokenListener
    {
        private final PromptLine line;
        private final CompletionHandle handle;
        private final long startNanos = System.nanoTime();
        private final CountDownLatch ended = new CountDownLatch(1);
        private volatile long firstNanos = -1;
        private volatile long endNanos = -1;
        private final boolean experts;
        private volatile RoutedExperts rows;
        private volatile Exception failure;

        private Submitted(final PromptLine line, final CompletionHandle handle, final boolean experts)
        {
            this.line = line;
            this.handle = handle;
            this.experts = experts;
            handle.listen(this);
        }

        @Override
        public void onTokens(final CompletionHandle request, final int from, final int to)
        {
            if (from == 0)
            {
                firstNanos = System.nanoTime() - startNanos;
            }
        }

        @Override
        public void onEnd(final CompletionHandle request, final Completion completion)
        {
            endNanos = System.nanoTime() - startNanos;
            takeRows(request, completion);
            ended.countDown();
        }

        /** At once, so that the engine need not keep the rows of a request behind a long one until it discards them. */
        private void takeRows(final CompletionHandle request, final Completion completion)
        {
            try
            {
                rows = experts && !completion.isRefused() ? request.takeRows(ROWS_WAIT) : null;
            }
            catch (final TimeoutException | InterruptedException | RuntimeException e)
            {
                failure = e;
            }
        }

        @Override
        public void onFailure(final CompletionHandle request, final Throwable cause)
        {
            ended.countDown();
        }
    }
}
