// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.inspect.LifeEvent;
import io.signalbox.inspect.RecentRequests;
import io.signalbox.inspect.RequestInspection;
import io.signalbox.inspect.RequestInspector;
import io.signalbox.inspect.RequestLife;
import io.signalbox.printing.JsonDocument;
import io.signalbox.printing.RequestDocument;
import io.signalbox.server.http.HttpReply;
import io.signalbox.server.http.HttpRequest;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code GET /signalbox/requests/ID}: the life of a request and why it got its rank, from memory or else from the journal.
 * One question at a time reads the journal. If the memory is behind the engine, a question waits for it up to
 * {@link #CATCH_UP}, then gets what there is.
 */
final class RequestRoutes implements AutoCloseable
{
    static final String PREFIX = "/signalbox/requests/";

    /** The longest wait of a question for the memory, from its arrival. */
    static final Duration CATCH_UP = Duration.ofSeconds(1);
    /** Threads that answer: one more than may read the journal. */
    static final int THREADS = 2;
    /** Questions that wait for a thread. */
    static final int MOST_WAITING = 64;

    private static final System.Logger LOGGER = System.getLogger("io.signalbox.server");
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final int OK = 200;
    private static final int MAX_DIGITS = 18;
    private static final Pattern ENCODED = Pattern.compile("%([0-9a-fA-F]{2})");

    private final RecentRequests recent;
    private final Path journal;
    private final Predicate<Duration> catchUp;
    private final AtomicBoolean reading = new AtomicBoolean();
    private final ExecutorService questions = new ThreadPoolExecutor(
        THREADS, THREADS, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MOST_WAITING), work ->
        {
            final Thread thread = new Thread(work, "signalbox-questions");
            thread.setDaemon(true);
            return thread;
        });

    /**
     * @param catchUp waits at most so long; returns whether the memory has everything that clients have seen, and throws if
     *                the engine is no more.
     * @param recent  {@code null}: none are remembered.
     * @param journal {@code null}: there is none.
     */
    RequestRoutes(final Predicate<Duration> catchUp, final RecentRequests recent, final Path journal)
    {
        this.catchUp = catchUp;
        this.recent = recent;
        this.journal = journal;
    }

    void request(final HttpRequest request, final HttpReply reply)
    {
        final String name = decoded(request.path().substring(PREFIX.length()));
        final RequestInspection remembered = remembered(name);
        if (remembered != null && isFinal(name, remembered))
        {
            send(reply, null, remembered);
            return;
        }
        final long arrivalNanos = System.nanoTime();
        try
        {
            questions.execute(() -> answer(name, arrivalNanos, reply));
        }
        catch (final RejectedExecutionException e)
        {
            throw questions.isShutdown() ? ApiError.of(ApiError.UNAVAILABLE, "the server stops") :
                ApiError.later(ApiError.TOO_MANY, "the memory of the server is behind its engine, and " + MOST_WAITING +
                    " questions wait for it, which is their limit; ask again later", RETRY);
        }
    }

    /**
     * Whether the memory cannot have a later answer. The life of a request that has ended does not change. But a client may
     * give its id again, and one that numbers its requests may have given this number to a request that comes late.
     */
    private static boolean isFinal(final String name, final RequestInspection found)
    {
        final RequestLife life = found.lives().get(found.lives().size() - 1);
        final boolean numbers = life.clientId() != null && isNumber(life.clientId());
        return !numbers && name.equals(Long.toString(found.requestId())) &&
            (life.refusal() != null || life.first(LifeEvent.Ended.class) != null);
    }

    private void answer(final String name, final long arrivalNanos, final HttpReply reply)
    {
        try
        {
            final boolean behind = !awaitMemory(arrivalNanos);
            try
            {
                answer(name, reply);
            }
            catch (final ApiError e)
            {
                throw behind && e.status() == ApiError.NOT_FOUND ? ApiError.later(ApiError.UNAVAILABLE,
                    "the memory of the server is behind its engine and may not have this request yet; ask again later",
                    RETRY) : e;
            }
        }
        catch (final ApiError e)
        {
            Errors.send(reply, e);
        }
        catch (final RuntimeException e)
        {
            Errors.send(reply, ApiError.internal());
            LOGGER.log(System.Logger.Level.ERROR, "a question about a request was not answered: " + e, e);
        }
    }

    /**
     * The engine hands an end to its client first, and to the memory of the server a moment later. Returns whether the
     * memory has what clients have seen.
     */
    private boolean awaitMemory(final long arrivalNanos)
    {
        try
        {
            return catchUp.test(CATCH_UP.minusNanos(System.nanoTime() - arrivalNanos));
        }
        catch (final IllegalStateException e)
        {
            // The engine has stopped: the memory has what there is.
            return true;
        }
    }

    /** {@code null}: the memory has none of this name. A client that names its requests by numbers asks for its own. */
    private RequestInspection remembered(final String name)
    {
        final Long named = recent == null ? null : recent.requestId(name);
        if (recent == null || named == null && !isNumber(name))
        {
            return null;
        }
        final RequestInspection found = recent.inspect(named != null ? named : Long.parseLong(name));
        return found.lives().isEmpty() ? null : found;
    }

    private static boolean isNumber(final String name)
    {
        return name.matches("[0-9]{1," + MAX_DIGITS + "}");
    }

    private void answer(final String name, final HttpReply reply)
    {
        final RequestInspection remembered = remembered(name);
        if (remembered != null)
        {
            send(reply, null, remembered);
        }
        else if (!isNumber(name))
        {
            throw absent(name, "no recent request of a client has this id");
        }
        else if (journal == null)
        {
            throw absent(name, "it is not among the last ones, and the server keeps no journal");
        }
        else
        {
            send(reply, journal, read(Long.parseLong(name)));
        }
    }

    /** What the path of a request leaves encoded. */
    private static String decoded(final String name)
    {
        final Matcher encoded = ENCODED.matcher(name);
        return encoded.replaceAll(found ->
            Matcher.quoteReplacement(Character.toString(Integer.parseInt(found.group(1), 16))));
    }

    private static ApiError absent(final String name, final String reason)
    {
        return ApiError.of(ApiError.NOT_FOUND,
            "there is no request " + (RequestIds.isPrintable(name) ? name : "of this id") + ": " + reason);
    }

    /** From the journal. */
    private RequestInspection read(final long id)
    {
        if (!reading.compareAndSet(false, true))
        {
            throw ApiError.later(
                ApiError.TOO_MANY, "another question reads the journal; ask again when it is answered", RETRY);
        }
        final RequestInspection found;
        try
        {
            found = RequestInspector.inspect(journal, id);
        }
        catch (final RuntimeException e)
        {
            throw ApiError.of(ApiError.INTERNAL, "the journal cannot be read: " + e.getMessage());
        }
        finally
        {
            // The client may ask the next question as soon as it has the answer.
            reading.set(false);
        }
        if (found.lives().isEmpty())
        {
            throw absent(Long.toString(id), "neither the memory of the server nor its journal has it");
        }
        return found;
    }

    private static void send(final HttpReply reply, final Path journal, final RequestInspection found)
    {
        reply.send(OK, HttpReply.JSON,
            JsonDocument.text(RequestDocument.of(journal, found)).getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close()
    {
        questions.shutdown();
    }
}
