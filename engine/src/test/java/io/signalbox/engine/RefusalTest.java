// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.ring.Pace;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.RefusalReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Every refusal says why, and when to come again or what to change. */
class RefusalTest
{
    @ParameterizedTest
    @EnumSource(value = RefusalReason.class, names = "NULL_VAL", mode = EnumSource.Mode.EXCLUDE)
    void shouldExplainEveryReasonOfTheScheduler(final RefusalReason reason)
    {
        final Refusal refusal = Refusal.of(reason, 5_000);
        final boolean same = List.of(Refusal.Reason.values()).toString().contains(reason.name());
        assertEquals(same ? reason.name() : "MALFORMED", refusal.reason().name());
        assertEquals(reason == RefusalReason.QUEUE_FULL ? Optional.of(Duration.ofNanos(5_000)) : Optional.empty(),
            refusal.retryAfter());
        assertTrue(refusal.message().contains(";") || refusal.message().endsWith(reason.name()), refusal.message());
    }

    @Test
    void shouldEstimateFromRecentEvents()
    {
        final Pace pace = new Pace();
        assertEquals(1_000_000, pace.nanosUntil(1), "a guess, before there are events");
        for (long now = 0; now < 10_000_000; now += 100_000)
        {
            pace.event(now);
        }
        assertTrue(Math.abs(pace.nanosUntil(1) - 100_000) < 1_000, pace.nanosUntil(1) + " ns");
        assertTrue(Math.abs(pace.nanosUntil(10) - 1_000_000) < 10_000, pace.nanosUntil(10) + " ns");
        assertEquals(1_000_000_000, pace.nanosUntil(Integer.MAX_VALUE), "never later than a second");
    }

    /** A handle that has ended keeps its end if the engine fails at the same moment, and the other way round. */
    @Test
    void shouldKeepTheFirstEnd()
    {
        final EngineClient client = new EngineClient(new EngineConfig());
        final CompletionRequest request = CompletionRequest.prompt(new int[1]);
        final CompletionHandle ended = new CompletionHandle(client, 1, request);
        ended.freed(new RequestEnd(FreeReason.LENGTH, 0, 0, 0, 0, List.of(), null));
        ended.failed(new IllegalStateException("planted"));
        assertNull(ended.failure());
        assertEquals(FinishReason.LENGTH, ended.ended().join().reason());

        final IllegalStateException cause = new IllegalStateException("planted");
        final CompletionHandle failed = new CompletionHandle(client, 2, request);
        failed.failed(cause);
        failed.failed(cause);
        failed.freed(new RequestEnd(FreeReason.LENGTH, 0, 0, 0, 0, List.of(), null));
        assertNull(failed.end());
        assertSame(cause, failed.failure());
    }
}
