// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.inspect.RecentRequests;
import io.signalbox.inspect.RequestInspection;
import io.signalbox.inspect.RequestInspector;
import io.signalbox.printing.JsonDocument;
import io.signalbox.printing.RequestDocument;
import io.signalbox.server.http.HttpReply;
import io.signalbox.server.http.HttpRequest;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code GET /signalbox/requests/ID}: the life of a request and why it got its rank, from memory or else from the journal.
 * One question at a time reads the journal.
 */
final class RequestRoutes implements AutoCloseable
{
    static final String PREFIX = "/signalbox/requests/";

    private static final int OK = 200;
    private static final int MAX_DIGITS = 18;
    private static final Pattern ENCODED = Pattern.compile("%([0-9a-fA-F]{2})");

    /** {@code null}: none are remembered. */
    private final RecentRequests recent;
    /** {@code null}: there is none. */
    private final Path journal;
    private final AtomicBoolean reading = new AtomicBoolean();
    private final ExecutorService questions = Executors.newSingleThreadExecutor(work ->
    {
        final Thread thread = new Thread(work, "signalbox-questions");
        thread.setDaemon(true);
        return thread;
    });

    RequestRoutes(final RecentRequests recent, final Path journal)
    {
        this.recent = recent;
        this.journal = journal;
    }

    void request(final HttpRequest request, final HttpReply reply)
    {
        final String name = decoded(request.path().substring(PREFIX.length()));
        final boolean isNumber = name.matches("[0-9]{1," + MAX_DIGITS + "}");
        final Long named = recent == null ? null : recent.requestId(name);
        if (!isNumber && named == null)
        {
            throw absent(name, "no recent request of a client has this id");
        }
        // A client that names its requests by numbers asks for its own.
        final long id = named != null ? named : Long.parseLong(name);
        final RequestInspection remembered = recent == null ? null : recent.inspect(id);
        if (remembered != null && !remembered.lives().isEmpty())
        {
            send(reply, null, remembered);
        }
        else if (journal == null)
        {
            throw absent(name, "it is not among the last ones, and the server keeps no journal");
        }
        else if (reading.compareAndSet(false, true))
        {
            questions.execute(() -> read(id, reply));
        }
        else
        {
            throw ApiError.of(ApiError.TOO_MANY, "another question reads the journal; ask again when it is answered");
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

    private void read(final long id, final HttpReply reply)
    {
        final Runnable answer;
        try
        {
            answer = answer(id, reply);
        }
        finally
        {
            // The client may ask the next question as soon as it has the answer.
            reading.set(false);
        }
        answer.run();
    }

    private Runnable answer(final long id, final HttpReply reply)
    {
        try
        {
            final RequestInspection found = RequestInspector.inspect(journal, id);
            if (found.lives().isEmpty())
            {
                throw absent(Long.toString(id), "neither the memory of the server nor its journal has it");
            }
            return () -> send(reply, journal, found);
        }
        catch (final ApiError e)
        {
            return () -> Errors.send(reply, e);
        }
        catch (final RuntimeException e)
        {
            return () -> Errors.send(reply, ApiError.of(ApiError.INTERNAL, "the journal cannot be read: " + e.getMessage()));
        }
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
