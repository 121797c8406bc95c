// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * How a client of a {@link HostileBackend} wants its request to end, and which ends and tokens that allows.
 *
 * @param stops     stop tokens.
 * @param isExpired whether it has a deadline.
 * @param stopAfter the client ends the answer after so many tokens; -1: it does not.
 */
record HostileAsk(
    int mostTokens, int leastTokens, int[] stops, boolean ignoresEos, boolean isExpired, boolean isCancelled, int stopAfter)
{
    private static final int MOST_TOKENS = 12;

    /** @param masks whether the backend leaves out stop tokens. */
    static HostileAsk of(final SplittableRandom random, final boolean masks)
    {
        final int most = random.nextInt(MOST_TOKENS);
        final int end = random.nextInt(6);
        return new HostileAsk(most, masks && random.nextBoolean() ? random.nextInt(most + 1) : 0,
            random.ints(random.nextInt(3), 0, HostileBackend.SAMPLED / 2).toArray(), random.nextBoolean(), end == 0,
            end == 1, end == 2 ? random.nextInt(2) : -1);
    }

    CompletionRequest request(final int[] prompt, final SplittableRandom random)
    {
        final CompletionRequest request = CompletionRequest.prompt(prompt).maxNewTokens(mostTokens)
            .minNewTokens(leastTokens).stopAt(stops).priority(random.nextInt(3)).routedExperts(0);
        final CompletionRequest ended = ignoresEos ? request.ignoreEos() : request;
        return isExpired ? ended.deadline(Duration.ofNanos(1 + random.nextInt(20_000_000))) : ended;
    }

    private boolean stopsAt(final int token)
    {
        return Arrays.stream(stops).anyMatch(stop -> stop == token) || !ignoresEos && token == HostileBackend.END;
    }

    /** @param aborts whether weights came that end requests. */
    void check(final String name, final int promptTokens, final Completion ended, final HostileBackend backend,
        final boolean aborts)
    {
        final int[] tokens = ended.tokens();
        for (int i = 0; i < tokens.length; i++)
        {
            final boolean early = i < leastTokens;
            final int sampled = HostileBackend.allowed(
                HostileBackend.token(ended.requestId(), promptTokens + i), token -> early && stopsAt(token));
            assertTrue(tokens[i] == sampled || early && stopsAt(tokens[i]) &&
                backend.hasStoppedTooEarly(ended.requestId(), promptTokens + i), name + "token " + i + " is " + tokens[i]);
            assertTrue(early || i == tokens.length - 1 || !stopsAt(tokens[i]), name + "goes on after token " + i);
        }
        final boolean stops = tokens.length > leastTokens && stopsAt(tokens[tokens.length - 1]);
        switch (ended.reason())
        {
            case LENGTH -> assertTrue(tokens.length == mostTokens && !stops, name + "ended by length");
            case STOP -> assertTrue(stops || tokens.length == stopAfter, name + "stopped after " + tokens.length);
            case CANCELLED -> assertTrue(isCancelled, name + "cancelled");
            case DEADLINE -> assertTrue(isExpired, name + "deadline");
            case NEW_WEIGHTS -> assertTrue(aborts, name + "new weights");
            case FAILED -> assertFalse(ended.failure().orElseThrow().sentence().isEmpty(), name + "failed");
            case REFUSED -> assertTrue(ended.isRefused(), name + "refused");
        }
        assertEquals(ended.reason() == FinishReason.FAILED, ended.failure().isPresent(), name + "failure");
    }
}
