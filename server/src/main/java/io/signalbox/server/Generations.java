// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.server.http.HttpReply;
import io.signalbox.server.text.AnswerText;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** All generations that are under way, and the threads that write their answers. */
final class Generations implements AutoCloseable
{
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(15);
    private static final long LOOK_MILLIS = 1000;
    private static final long RETRY_SECONDS = 1;
    private static final int MAX_WRITERS = 8;

    private final SignalboxEngine engine;
    private final ServedModel model;
    private final int maxRequests;
    private final RowBlocks blocks;
    private final RowSessions sessions = new RowSessions();
    private final Set<Generation> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger requests = new AtomicInteger();
    private final ExecutorService writers;
    private final ScheduledExecutorService timer;
    private final int ranks;
    private volatile boolean draining;
    private volatile boolean paused;

    /** @param maxRequests of the engine at a time; more are refused. */
    Generations(
        final SignalboxEngine engine, final ServedModel model, final int maxRequests, final RowBlocks blocks)
    {
        this.blocks = blocks;
        this.engine = engine;
        this.model = model;
        this.maxRequests = maxRequests;
        ranks = engine.stats().ranks().size();
        final int cores = Runtime.getRuntime().availableProcessors();
        writers = Executors.newFixedThreadPool(Math.max(1, Math.min(MAX_WRITERS, cores / 2)), daemons("signalbox-answers"));
        timer = Executors.newSingleThreadScheduledExecutor(daemons("signalbox-answer-timer"));
        timer.scheduleWithFixedDelay(this::keepAlive, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static ThreadFactory daemons(final String name)
    {
        final AtomicInteger count = new AtomicInteger();
        return work ->
        {
            final Thread thread = new Thread(work, name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** As the other method, for a route whose clients do not name their requests. */
    void start(
        final List<int[]> prompts, final AnswerSettings settings, final FieldNames names, final AnswerWriter writer,
        final HttpReply reply)
    {
        start(prompts, settings, names, writer, reply, null);
    }

    /**
     * Submits a request for each answer.
     *
     * @param names of the route's fields.
     * @param id    under which {@link #abort} finds it; {@code null}: none.
     * @throws ApiError if one of them is refused at once; then none runs.
     */
    void start(
        final List<int[]> prompts, final AnswerSettings asked, final FieldNames names, final AnswerWriter writer,
        final HttpReply reply, final String id)
    {
        final AnswerSettings settings = inSession(prompts, asked);
        if (draining || paused)
        {
            throw new ApiError(ApiError.UNAVAILABLE, draining ? "the server is about to stop; send the request to another " +
                "one" : "generation is paused; send the request again after POST /continue_generation", null, null,
                Duration.ofSeconds(RETRY_SECONDS));
        }
        final Generation generation = new Generation(this, writer, id);
        final int[] newTokens = new int[prompts.size()];
        for (int i = 0; i < newTokens.length; i++)
        {
            newTokens[i] = model.newTokens(prompts.get(i).length, settings.maxTokens(), names);
            if (settings.rows() != null && settings.rows().from() > prompts.get(i).length)
            {
                throw ApiError.badRequest(names.rowsFrom(), names.rowsFrom() + " is " + settings.rows().from() +
                    ", and the prompt has " + prompts.get(i).length + " tokens; give 0 to " + prompts.get(i).length);
            }
        }
        final int[] ends = settings.ends(model.text().endTokens());
        for (final int[] prompt : prompts)
        {
            for (int number = 0; number < settings.count(); number++)
            {
                generation.add(new ServedAnswer(generation, generation.answers().size(), prompt, ends, settings,
                    new AnswerText(model.text(), prompt, settings.stops(), settings.textForm())));
            }
        }
        take(generation);
        try
        {
            submit(generation, settings, newTokens);
        }
        catch (final RuntimeException | Error e)
        {
            generation.abort();
            throw e;
        }
        reply.header("x-signalbox-request-id", generation.answers().stream()
            .map(answer -> Long.toString(answer.handle().requestId())).collect(Collectors.joining(",")));
        reply.onAbort(generation::abort);
        generation.answers().forEach(answer -> answer.handle().listen(answer, writers));
    }

    /** With the first position whose row the session lacks, if the request wants new rows only. */
    private AnswerSettings inSession(final List<int[]> prompts, final AnswerSettings settings)
    {
        if (settings.rows() == null || !settings.rows().newOnly())
        {
            return settings;
        }
        final String session = settings.source().session();
        if (session == null || prompts.size() * settings.count() > 1)
        {
            throw ApiError.badRequest(RowFields.NEW_ONLY, RowFields.NEW_ONLY +
                " is for one answer in a session; name the session by the header X-Session-ID, and ask for one answer");
        }
        return settings.rowsNotBefore(sessions.from(session, prompts.get(0), engine.weightGeneration()));
    }

    /**
     * Keeps the rows of an answer that has ended, for questions about its blocks and for the next answer of its session.
     *
     * @param fed tokens that went through a forward pass and belong to the answer.
     * @param isSent whether its client is there.
     * @return the hashes of its full blocks.
     */
    long[] keep(final ServedAnswer answer, final RoutedExperts rows, final int fed, final boolean isSent)
    {
        final int[] sequence = answer.sequence();
        final AnswerSettings settings = answer.settings();
        final long[] hashes = engine.blockHashes(Arrays.copyOf(sequence, fed), settings.cacheKey());
        blocks.keep(rows, hashes);
        if (isSent && settings.source().session() != null && rows.rows() > 0 && rows.start() + rows.rows() >= fed)
        {
            final int generation = rows.generation(0);
            if (IntStream.range(1, fed - rows.start()).allMatch(row -> rows.generation(row) == generation))
            {
                sessions.sent(settings.source().session(), sequence, rows.start(), generation);
            }
            else
            {
                sessions.forget(settings.source().session());
            }
        }
        return hashes;
    }

    private void take(final Generation generation)
    {
        final int wanted = generation.answers().size();
        if (requests.addAndGet(wanted) > maxRequests)
        {
            requests.addAndGet(-wanted);
            throw ApiError.later(ApiError.TOO_MANY, "this server has " + maxRequests +
                " requests under way, which is its limit; send the request again later",
                Duration.ofSeconds(RETRY_SECONDS));
        }
        open.add(generation);
    }

    private void submit(final Generation generation, final AnswerSettings settings, final int[] newTokens)
    {
        for (final ServedAnswer answer : generation.answers())
        {
            final int number = answer.index() % settings.count();
            final CompletionHandle handle =
                submit(settings, answer.prompt(), newTokens[answer.index() / settings.count()], number);
            if (handle.requestId() < 0)
            {
                throw ApiError.refused(handle.completion().toCompletableFuture().join().refusal().orElseThrow());
            }
            answer.follow(handle);
        }
    }

    private CompletionHandle submit(
        final AnswerSettings settings, final int[] prompt, final int newTokens, final int number)
    {
        try
        {
            return engine.submit(settings.request(prompt, newTokens, number));
        }
        catch (final IllegalArgumentException e)
        {
            throw ApiError.badRequest(null, e.getMessage());
        }
        catch (final IllegalStateException e)
        {
            throw ApiError.of(ApiError.UNAVAILABLE, e.getMessage());
        }
    }

    /** DP ranks of the engine. */
    int ranks()
    {
        return ranks;
    }

    int hiddenLayers()
    {
        return model.hiddenLayers();
    }

    void over(final Generation generation)
    {
        if (open.remove(generation))
        {
            requests.addAndGet(-generation.answers().size());
        }
    }

    private void keepAlive()
    {
        final long since = System.nanoTime() - QUIET_NANOS;
        open.forEach(generation -> generation.keepAlive(since));
    }

    /** Whether new requests are refused for the time being. */
    void pause(final boolean value)
    {
        paused = value;
    }

    /** Has the engine end requests: their clients get what there is. @param id {@code null}: of all. */
    void abort(final String id)
    {
        open.stream().filter(generation -> id == null || id.equals(generation.id())).forEach(Generation::cancelAll);
    }

    /** Refuses every later request. */
    void drain()
    {
        draining = true;
    }

    boolean isPaused()
    {
        return paused;
    }

    boolean isDraining()
    {
        return draining;
    }

    int openCount()
    {
        return open.size();
    }

    /** Ends those that are left with an error. */
    void endAll()
    {
        open.forEach(generation -> generation.fail(ApiError.of(ApiError.UNAVAILABLE,
            "the server stops, and the time for requests that were under way is over")));
    }

    @Override
    public void close()
    {
        timer.shutdownNow();
        writers.shutdown();
    }
}
