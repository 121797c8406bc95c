// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.event.codec.RefusalReason;

import java.time.Duration;
import java.util.Optional;

/**
 * Why a request was not accepted, and when to submit it again. Nothing of a refused request was computed.
 *
 * @param retryAfter from now, estimated from the pace at which the engine works; empty: time alone does not help, and
 *                   {@code message} says what does.
 * @param message    one sentence.
 */
public record Refusal(Reason reason, Optional<Duration> retryAfter, String message)
{
    /** The reason. */
    public enum Reason
    {
        /** The ring of inputs is full, and the back-pressure of the engine is to refuse. */
        ENGINE_FULL,
        /** The journal takes no new request, since its disk is nearly full. Requests that have begun continue. */
        JOURNAL_FULL,
        /** As many requests wait for a rank as the configuration allows. */
        QUEUE_FULL,
        /** Ended requests hold as many bytes of rows as the configuration allows, and nobody takes them. */
        ROWS_UNTAKEN,
        /** The rows that the request wants need more bytes than the configuration allows for all. */
        ROWS_ABOVE_BOUND,
        /** The engine finishes what it has, and accepts nothing else. */
        DRAINING,
        /** Every rank is lost. */
        NO_RANK_LEFT,
        /** The request needs more KV blocks than one rank has. */
        TOO_LONG_FOR_POOL,
        /** The scheduler found the request malformed. */
        MALFORMED,
        /** The thread that submitted was interrupted while it waited; its interrupt status is set. */
        INTERRUPTED
    }

    /** A disk is looked at again with each request; nothing tells when somebody frees space. */
    private static final long DISK_NANOS = 1_000_000_000L;

    /** @param reason of {@link GroupJournal#refusesRequests}. */
    static Refusal ofJournal(final String reason)
    {
        return after(Reason.JOURNAL_FULL, DISK_NANOS, reason);
    }

    /** @param nanos estimated until some of them come free. */
    static Refusal full(final int slots, final long nanos)
    {
        return after(Reason.ENGINE_FULL, nanos, "all " + slots + " slots of the ring of inputs are taken; submit the " +
            "request again later, let the engine wait, or give more ingressSlots");
    }

    static Refusal draining()
    {
        return until(Reason.DRAINING,
            "the engine drains: it finishes what it has, and accepts nothing else; launch another engine");
    }

    /** Of the calling thread. */
    static Refusal interrupted()
    {
        return until(Reason.INTERRUPTED,
            "the thread " + Thread.currentThread().getName() + " was interrupted while it waited for room");
    }

    static Refusal after(final Reason reason, final long nanos, final String message)
    {
        return new Refusal(reason, Optional.of(Duration.ofNanos(nanos)), message);
    }

    static Refusal until(final Reason reason, final String message)
    {
        return new Refusal(reason, Optional.empty(), message);
    }

    /** @param queueNanos the time between the ends of two requests. */
    static Refusal of(final RefusalReason reason, final long queueNanos)
    {
        return switch (reason)
        {
            case QUEUE_FULL -> after(Reason.QUEUE_FULL, queueNanos,
                "as many requests wait for a rank as scheduler.maxQueued allows; submit it again later");
            case TOO_LONG_FOR_POOL -> until(Reason.TOO_LONG_FOR_POOL,
                "the request may need more KV blocks than one rank has; shorten it, or give ranks more blocks");
            case DRAINING -> draining();
            case NO_RANK_LEFT -> until(Reason.NO_RANK_LEFT,
                "every rank is lost; reset a rank, or launch another engine if the backend resets none, then submit the " +
                    "request again");
            default -> until(Reason.MALFORMED, "the scheduler refused the request: " + reason);
        };
    }
}
