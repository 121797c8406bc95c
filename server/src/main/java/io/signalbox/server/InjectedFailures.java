// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.StateDigest;
import io.signalbox.server.http.HttpHandler;
import io.signalbox.server.http.HttpReply;
import io.signalbox.server.http.HttpRequest;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Errors that a server over simulated ranks answers on purpose, for tests of clients. The seed and the number of the request
 * decide which requests fail, and how. {@code /admin/config} changes the settings while the server runs.
 */
final class InjectedFailures
{
    private static final int OK = 200;
    private static final int LEAST_STATUS = 400;
    private static final int MOST_STATUS = 599;
    private static final String HEADER = "X-Return-Error";
    private static final String RATE = "failure-injection-rate";
    private static final String TYPES = "failure-types";
    private static final Duration RETRY = Duration.ofSeconds(1);

    /** An error of the kinds that clients meet. */
    enum Kind
    {
        RATE_LIMIT(ApiError.TOO_MANY, "rate_limit_exceeded"),
        INVALID_API_KEY(ApiError.UNAUTHORIZED, "invalid_api_key"),
        CONTEXT_LENGTH(ApiError.BAD_REQUEST, "context_length_exceeded"),
        SERVER_ERROR(ApiError.INTERNAL, null),
        INVALID_REQUEST(ApiError.BAD_REQUEST, null),
        MODEL_NOT_FOUND(ApiError.NOT_FOUND, "model_not_found");

        private final int status;
        private final String code;

        Kind(final int status, final String code)
        {
            this.status = status;
            this.code = code;
        }

        String label()
        {
            return name().toLowerCase(Locale.ROOT);
        }

        /** @return {@code null}: no kind has this name. */
        static Kind of(final String label)
        {
            return Arrays.stream(values()).filter(kind -> kind.label().equals(label)).findFirst().orElse(null);
        }

        private ApiError error()
        {
            return new ApiError(status, "this " + label() + " error was injected, as --" + RATE + " asks for", null, code,
                status == ApiError.TOO_MANY ? RETRY : null);
        }
    }

    /** What {@code /admin/config} changes at once. */
    private record Knobs(int rate, List<Kind> kinds)
    {
    }

    /** {@code null}: the ranks compute a model. */
    private final Long seed;
    private final long readyNanos;
    private final AtomicLong requests = new AtomicLong();
    private volatile Knobs knobs;

    /** @param seed {@code null}: the ranks compute a model, so that nothing is injected. */
    InjectedFailures(final Long seed, final int rate, final List<Kind> kinds, final long startupMillis)
    {
        this.seed = seed;
        knobs = new Knobs(rate, kinds);
        readyNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(startupMillis);
    }

    /** Whether the simulated start-up of the server is not over. */
    boolean isStarting()
    {
        return System.nanoTime() - readyNanos < 0;
    }

    /** The route, some of whose requests fail. */
    HttpHandler of(final HttpHandler route)
    {
        return (request, reply) ->
        {
            failIfAsked(request.header(HEADER));
            failBySeed();
            route.handle(request, reply);
        };
    }

    private void failIfAsked(final String wanted)
    {
        if (wanted == null)
        {
            return;
        }
        if (seed == null)
        {
            throw onlySimulated("the header " + HEADER);
        }
        final int status = wanted.matches("[0-9]{3}") ? Integer.parseInt(wanted) : 0;
        if (status < LEAST_STATUS || status > MOST_STATUS)
        {
            throw ApiError.badRequest(HEADER, HEADER + " is not a status of " + LEAST_STATUS + " to " + MOST_STATUS +
                "; give one of them, or leave the header out");
        }
        throw new ApiError(status, "the header " + HEADER + " asks for this error", null, null,
            status == ApiError.TOO_MANY ? RETRY : null);
    }

    private static ApiError onlySimulated(final String what)
    {
        return ApiError.badRequest(null, what + " is for simulated ranks, and the ranks of this server compute a model");
    }

    private void failBySeed()
    {
        final Knobs now = knobs;
        if (seed == null || now.rate == 0)
        {
            return;
        }
        final SplittableRandom random = new SplittableRandom(StateDigest.mix(seed, requests.getAndIncrement()));
        if (random.nextInt(100) < now.rate)
        {
            throw now.kinds.get(random.nextInt(now.kinds.size())).error();
        }
    }

    /** Answers with the settings. */
    void show(final HttpRequest request, final HttpReply reply)
    {
        if (seed == null)
        {
            throw onlySimulated(request.path());
        }
        reply.send(OK, HttpReply.JSON, JsonBytes.of(this::write));
    }

    private void write(final JsonGenerator json) throws IOException
    {
        final Knobs now = knobs;
        json.writeStartObject();
        json.writeNumberField(RATE, now.rate);
        json.writeArrayFieldStart(TYPES);
        for (final Kind kind : now.kinds)
        {
            json.writeString(kind.label());
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Changes the settings that the body has, all at once, and answers with all of them. */
    synchronized void change(final HttpRequest request, final HttpReply reply)
    {
        if (seed == null)
        {
            throw onlySimulated(request.path());
        }
        final RequestFields fields = RequestFields.parse(request.body());
        fields.values().keySet().stream().filter(name -> !name.equals(RATE) && !name.equals(TYPES)).findFirst()
            .ifPresent(name ->
            {
                throw ApiError.badRequest(null, "the body has a field that is not a setting; give " + RATE + " or " + TYPES);
            });
        final Knobs now = knobs;
        final int rate = fields.whole(RATE, 0, 100, now.rate);
        knobs = new Knobs(rate, fields.get(TYPES) == null ? now.kinds : kinds(fields));
        show(request, reply);
    }

    private static List<Kind> kinds(final RequestFields fields)
    {
        final List<Kind> kinds = fields.texts(TYPES).stream().map(Kind::of).toList();
        if (kinds.isEmpty() || kinds.stream().anyMatch(kind -> kind == null))
        {
            throw fields.refused(TYPES, "a list of " + String.join(", ", labels()));
        }
        return kinds;
    }

    /** @return {@code null}: the text is not a list of labels. */
    static List<String> labels(final String text)
    {
        final List<String> labels = List.of(text.split(",", -1));
        return labels().containsAll(labels) ? labels : null;
    }

    static List<String> labels()
    {
        return Arrays.stream(Kind.values()).map(Kind::label).toList();
    }
}
