// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.engine.Refusal;

import java.time.Duration;

/** A request that is answered with an error. */
final class ApiError extends RuntimeException
{
    static final int BAD_REQUEST = 400;
    static final int UNAUTHORIZED = 401;
    static final int FORBIDDEN = 403;
    static final int NOT_FOUND = 404;
    static final int NOT_ALLOWED = 405;
    static final int TOO_MANY = 429;
    static final int INTERNAL = 500;
    static final int UNAVAILABLE = 503;

    private static final long serialVersionUID = 1;

    private final int status;
    private final String param;
    private final String code;
    private final Duration retryAfter;

    ApiError(final int status, final String message, final String param, final String code, final Duration retryAfter)
    {
        super(message, null, false, false);
        this.status = status;
        this.param = param;
        this.code = code;
        this.retryAfter = retryAfter;
    }

    static ApiError of(final int status, final String message)
    {
        return new ApiError(status, message, null, null, null);
    }

    /** @param retryAfter when the same request may succeed. */
    static ApiError later(final int status, final String message, final Duration retryAfter)
    {
        return new ApiError(status, message, null, null, retryAfter);
    }

    /** For an exception that nobody expects: a client must get an answer, and must not learn what is inside. */
    static ApiError internal()
    {
        return of(INTERNAL, "the server failed to answer; its operator can find out why");
    }

    /** @param param field at fault; {@code null}: none alone is. */
    static ApiError badRequest(final String param, final String message)
    {
        return new ApiError(BAD_REQUEST, message, param, null, null);
    }

    /** A refusal of the engine. */
    static ApiError refused(final Refusal refusal)
    {
        final int status = switch (refusal.reason())
        {
            case ENGINE_FULL, QUEUE_FULL, ROWS_UNTAKEN -> TOO_MANY;
            case TOO_LONG_FOR_POOL, ROWS_ABOVE_BOUND, MALFORMED -> BAD_REQUEST;
            case JOURNAL_FULL, DRAINING, NO_RANK_LEFT, INTERRUPTED -> UNAVAILABLE;
        };
        return new ApiError(status, refusal.message(), null, null, refusal.retryAfter().orElse(null));
    }

    int status()
    {
        return status;
    }

    /** {@code null}: time alone does not help. */
    Duration retryAfter()
    {
        return retryAfter;
    }

    /** OpenAI's name of the kind. */
    static String type(final int status)
    {
        return switch (status)
        {
            case UNAUTHORIZED -> "authentication_error";
            case FORBIDDEN -> "permission_error";
            case NOT_FOUND -> "not_found_error";
            case TOO_MANY -> "rate_limit_error";
            case UNAVAILABLE -> "service_unavailable_error";
            default -> status < INTERNAL ? "invalid_request_error" : "server_error";
        };
    }

    /** The document of OpenAI's errors. */
    byte[] body()
    {
        return JsonBytes.of(json ->
        {
            json.writeStartObject();
            json.writeObjectFieldStart("error");
            json.writeStringField("message", getMessage());
            json.writeStringField("type", type(status));
            json.writeStringField("param", param);
            json.writeStringField("code", code);
            json.writeEndObject();
            json.writeEndObject();
        });
    }
}
