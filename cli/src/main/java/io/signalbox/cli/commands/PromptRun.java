// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.PromptAnswer;
import io.signalbox.cli.options.PromptTokenizer;
import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.engine.TokenListener;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.workload.PromptLine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Submits prompts to an engine, a bounded number at a time, and hands over their answers in the order of the prompts. If the
 * process is stopped, answers that wait for one before them are handed over without it.
 */
final class PromptRun implements AutoCloseable
{
    /** Requests of a run that wait or run; their answers wait in memory for those before them. */
    private static final int MOST_AT_ONCE = 4096;
    private static final Duration ROWS_WAIT = Duration.ofMinutes(1);

    private final SignalboxEngine engine;
    private final boolean logprobs;
    private final PromptTokenizer tokenizer;
    private final FailureReasons failures;
    private final Consumer<PromptAnswer> answers;
    private final ArrayDeque<Submitted> submitted = new ArrayDeque<>();
    /** Takes rows, for which it may have to wait; callbacks must not. {@code null} if none are wanted. */
    private final ExecutorService rowTaker;
    private boolean stopped;

    PromptRun(
        final SignalboxEngine engine, final boolean experts, final boolean logprobs, final FailureReasons failures,
        final PromptTokenizer tokenizer, final Consumer<PromptAnswer> answers)
    {
        this.tokenizer = tokenizer;
        this.engine = engine;
        this.logprobs = logprobs;
        this.failures = failures;
        this.answers = answers;
        rowTaker = !experts ? null : Executors.newSingleThreadExecutor(work ->
        {
            final Thread thread = new Thread(work, "signalbox-run-rows");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** @throws IllegalStateException if the engine fails; answers up to then have been handed over. */
    void run(final List<PromptLine> lines, final List<CompletionRequest> requests)
    {
        try
        {
            for (int i = 0; i < lines.size(); i++)
            {
                if (waiting() == MOST_AT_ONCE)
                {
                    finishFirst();
                }
                add(new Submitted(lines.get(i), engine.submit(requests.get(i)), rowTaker));
            }
            while (waiting() > 0)
            {
                finishFirst();
            }
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new ConfigException("the run was interrupted; start it again.");
        }
    }

    private synchronized int waiting()
    {
        return submitted.size();
    }

    private synchronized void add(final Submitted request)
    {
        submitted.add(request);
    }

    private synchronized Submitted first()
    {
        return submitted.getFirst();
    }

    private void finishFirst() throws InterruptedException
    {
        final Submitted request = first();
        final Completion completion = request.handle.await();
        request.ended.await();
        final String failure = completion.isRefused() || completion.reason() != FreeReason.FAILED ? null :
            failures.take(completion.requestId());
        if (request.failure != null)
        {
            throw new IllegalStateException("the routed experts of request " + completion.requestId() + " did not come",
                request.failure);
        }
        handOver(request, completion, failure);
    }

    private synchronized void handOver(final Submitted request, final Completion completion, final String failure)
    {
        if (!stopped)
        {
            submitted.removeFirst();
            answers.accept(answer(request, completion, failure));
        }
    }

    private PromptAnswer answer(final Submitted request, final Completion completion, final String failure)
    {
        return new PromptAnswer(request.line.id(), request.line.prompt().length, completion,
            tokenizer.text(request.line.prompt(), completion.tokens()),
            logprobs && !completion.isRefused() ? request.handle.logprobs() : null, request.rows, failure,
            request.firstNanos, request.endNanos);
    }

    /** The process is being stopped: hands over the answers that are there, and no further one afterwards. */
    synchronized void stop()
    {
        if (stopped)
        {
            return;
        }
        stopped = true;
        for (final Submitted request : submitted)
        {
            final Completion completion = request.completion;
            if (request.ended.getCount() == 0 && request.failure == null && completion != null)
            {
                answers.accept(answer(request, completion, null));
            }
        }
    }

    @Override
    public void close()
    {
        if (rowTaker != null)
        {
            rowTaker.shutdownNow();
        }
    }

    /** A request under way, and when its tokens came. */
    private static final class Submitted implements TokenListener
    {
        private final PromptLine line;
        private final CompletionHandle handle;
        private final ExecutorService rowTaker;
        private final long startNanos = System.nanoTime();
        private final CountDownLatch ended = new CountDownLatch(1);
        private volatile long firstNanos = -1;
        private volatile long endNanos = -1;
        private volatile Completion completion;
        private volatile RoutedExperts rows;
        private volatile Exception failure;

        private Submitted(final PromptLine line, final CompletionHandle handle, final ExecutorService rowTaker)
        {
            this.line = line;
            this.handle = handle;
            this.rowTaker = rowTaker;
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

        /** Rows are taken at once, so that the engine need not keep those of a request behind a long one. */
        @Override
        public void onEnd(final CompletionHandle request, final Completion result)
        {
            endNanos = System.nanoTime() - startNanos;
            completion = result;
            if (rowTaker == null || result.isRefused() || rowTaker.isShutdown())
            {
                ended.countDown();
            }
            else
            {
                rowTaker.execute(this::takeRows);
            }
        }

        private void takeRows()
        {
            try
            {
                rows = handle.takeRows(ROWS_WAIT);
            }
            catch (final TimeoutException | InterruptedException | RuntimeException e)
            {
                failure = e;
            }
            finally
            {
                ended.countDown();
            }
        }

        @Override
        public void onFailure(final CompletionHandle request, final Throwable cause)
        {
            ended.countDown();
        }
    }
}
