// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.experts.RoutedExperts;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Submits requests to an engine, a bounded number at a time, and hands over their ends in the order of the requests, as an
 * offline run of prompts wants them. One thread calls {@link #run}; any thread may call {@link #stop}.
 */
public final class OrderedRequests implements AutoCloseable
{
    /** Requests that wait or run; the ends of later ones wait in memory for those before them. */
    private static final int MOST_AT_ONCE = 4096;
    private static final Duration ROWS_WAIT = Duration.ofMinutes(1);

    /**
     * A request that has ended.
     *
     * @param index      of the request in the list.
     * @param rows       {@code null} if they were not asked for, or the engine refused the request.
     * @param firstNanos from the submission to the first token; -1 if there is none.
     * @param endNanos   from the submission to the end.
     * @param inOrder    whether all requests before it were handed over; false only if {@link #stop} hands it over.
     */
    public record Ended(
        int index, CompletionHandle handle, Completion completion, RoutedExperts rows, long firstNanos, long endNanos,
        boolean inOrder)
    {
    }

    private final SignalboxEngine engine;
    private final Consumer<Ended> receiver;
    private final ArrayDeque<Submitted> submitted = new ArrayDeque<>();
    /** Takes rows, for which it may have to wait; callbacks must not. {@code null} if none are wanted. */
    private final ExecutorService rowTaker;
    private boolean stopped;

    /** @param withRows whether the rows of each request are taken; each request must ask for them. */
    public OrderedRequests(final SignalboxEngine engine, final boolean withRows, final Consumer<Ended> receiver)
    {
        this.engine = engine;
        this.receiver = receiver;
        rowTaker = !withRows ? null : Executors.newSingleThreadExecutor(work ->
        {
            final Thread thread = new Thread(work, "signalbox-run-rows");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Returns when the last request is handed over, or, after {@link #stop}, when the one has ended that it waits for.
     *
     * @throws IllegalStateException if the engine fails; requests up to then have been handed over.
     */
    public void run(final List<CompletionRequest> requests) throws InterruptedException
    {
        for (int i = 0; i < requests.size() && !isStopped(); i++)
        {
            if (waiting() == MOST_AT_ONCE)
            {
                finishFirst();
            }
            add(new Submitted(i, engine.submit(requests.get(i)), rowTaker));
        }
        while (waiting() > 0)
        {
            finishFirst();
        }
    }

    /** Requests that were not handed over; none after {@link #stop}. */
    private synchronized int waiting()
    {
        return stopped ? 0 : submitted.size();
    }

    private synchronized boolean isStopped()
    {
        return stopped;
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
        if (request.failure != null)
        {
            throw new IllegalStateException("the routed experts of request " + completion.requestId() + " did not come",
                request.failure);
        }
        handOver(request, completion);
    }

    private synchronized void handOver(final Submitted request, final Completion completion)
    {
        if (!stopped)
        {
            submitted.removeFirst();
            receiver.accept(request.end(completion, true));
        }
    }

    /** Hands over the requests that have ended, also those that wait for one before them, and none afterwards. */
    public synchronized void stop()
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
                receiver.accept(request.end(completion, false));
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
        private final int index;
        private final CompletionHandle handle;
        private final ExecutorService rowTaker;
        private final long startNanos = System.nanoTime();
        private final CountDownLatch ended = new CountDownLatch(1);
        private volatile long firstNanos = -1;
        private volatile long endNanos = -1;
        private volatile Completion completion;
        private volatile RoutedExperts rows;
        private volatile Exception failure;

        private Submitted(final int index, final CompletionHandle handle, final ExecutorService rowTaker)
        {
            this.index = index;
            this.handle = handle;
            this.rowTaker = rowTaker;
            handle.listen(this);
        }

        private Ended end(final Completion result, final boolean inOrder)
        {
            return new Ended(index, handle, result, rows, firstNanos, endNanos, inOrder);
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
                rows = handle.takeRoutedExperts(ROWS_WAIT).orElse(null);
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
