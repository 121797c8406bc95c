// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.ConfigException;
import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.FinishReason;
import io.signalbox.event.codec.WeightsWay;
import io.signalbox.experts.WeightSpan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Ends of requests that an engine was asked for when it was killed. Each further engine decides all inputs again. */
class RequestEndsRestartTest
{
    private static final Ask LONG = new Ask(new int[] {3, 1, 4, 1, 5, 9, 2, 6, 5}, 12, 0, 0);

    private final MemoryRun run = new MemoryRun();

    private Incarnation open(final int depth)
    {
        return new Incarnation(run, Incarnation.config(depth).build());
    }

    private static CompletionHandle resumed(final Incarnation engine, final CompletionHandle of)
    {
        return engine.resumed().stream().filter(handle -> handle.requestId() == of.requestId()).findFirst().orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldKeepTheEndThatAClientHasFound(final int depth) throws Exception
    {
        final Incarnation first = open(depth);
        final CompletionHandle stopped = first.submit(LONG);
        first.turn(6);
        assertTrue(stopped.tokenCount() > 3 && !stopped.isDone());
        assertTrue(stopped.stopAfter(2));
        assertArrayEquals(ContentModel.generated(LONG, 2), stopped.tokens());
        assertFalse(stopped.isDone(), "a step in flight computes it");
        try (Incarnation second = open(depth))
        {
            final CompletionHandle handle = resumed(second, stopped);
            second.finish();
            final Completion end = Incarnation.end(handle);
            assertEquals(FinishReason.STOP, end.reason());
            assertArrayEquals(ContentModel.generated(LONG, 2), end.tokens());
            ContentModel.assertRows(LONG, 2, Incarnation.storedRows(handle));
            assertFalse(handle.stopAfter(1), "it has ended");
        }
        try (Incarnation third = open(depth))
        {
            final CompletionHandle handle = resumed(third, stopped);
            assertArrayEquals(ContentModel.generated(LONG, 2), Incarnation.end(handle).tokens());
            ContentModel.assertRows(LONG, 2, Incarnation.rows(handle));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldKeepTheLeastLength(final int depth) throws Exception
    {
        final int[] plain = ContentModel.generated(LONG, 12);
        final int stop = plain[1];
        final CompletionRequest request = LONG.request().stopAt(stop).minNewTokens(5);
        final Incarnation first = open(depth);
        final CompletionHandle handle = first.submit(request);
        first.turn(3);
        try (Incarnation second = open(depth))
        {
            second.finish();
            final Completion end = Incarnation.end(resumed(second, handle));
            final int[] answer = end.tokens();
            assertFalse(Arrays.stream(answer, 0, 5).anyMatch(token -> token == stop), "a stop token is left out");
            assertEquals(answer.length < 12 ? FinishReason.STOP : FinishReason.LENGTH, end.reason());
            assertTrue(answer.length == 12 || answer[answer.length - 1] == stop);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldEndBegunRequestsBeforeAwaitedWeightsCome(final int depth) throws Exception
    {
        final Ask later = new Ask(new int[] {2, 7, 1, 8}, 3, 0, 0);
        final Incarnation first = open(depth);
        final CompletionHandle begun = first.submit(LONG);
        first.turn(4);
        first.newWeights(WeightsWay.DRAIN, "two");
        final CompletionHandle waits = first.submit(later);
        first.turn(2);
        assertEquals(0, waits.tokenCount(), "it waits for the new weights");
        assertEquals(0, first.backend.weightGeneration());
        try (Incarnation second = open(depth))
        {
            second.finish();
            final Completion former = Incarnation.end(resumed(second, begun));
            assertArrayEquals(ContentModel.generated(LONG, 12), former.tokens());
            assertEquals(List.of(new WeightSpan(0, 20, 0)), former.weights());
            final Completion next = Incarnation.end(resumed(second, waits));
            assertEquals(List.of(new WeightSpan(0, 6, 1)), next.weights());
            assertEquals(1, second.backend.weightGeneration());
        }
        open(depth).close();
    }

    @Test
    void shouldRefuseABackendWithoutAwaitedWeights()
    {
        final Incarnation first = open(1);
        first.submit(LONG);
        first.turn(2);
        first.newWeights(WeightsWay.DRAIN, "two");
        assertEquals("the run continues with announced weights that wait for the end of requests, and the backend content " +
            "does not have the weights 'two'.", assertThrows(ConfigException.class, () -> new Incarnation(run,
                Incarnation.config(1).build(), System::nanoTime, new ContentBackend(2, false).without("two"))).getMessage());
    }

    /** Samples of one prompt, of which the first one was killed before it had computed the prompt. */
    @Test
    void shouldLetSamplesOfOnePromptShareItsBlocks() throws Exception
    {
        final Incarnation first = open(1);
        final List<CompletionHandle> samples = first.submitSamples(LONG.request(), 3);
        try (Incarnation second = open(1))
        {
            second.finish();
            for (int i = 0; i < samples.size(); i++)
            {
                final Completion end = Incarnation.end(resumed(second, samples.get(i)));
                assertEquals(12, end.tokenCount());
                // Blocks of 8 tokens: one of the prompt's is full.
                assertEquals(i == 0 ? 0 : 8, end.inheritedRows(), "sample " + i);
            }
        }
    }

    /** A request that the scheduler has refused has an id, which no later request gets. */
    @Test
    void shouldNotGiveTheIdOfARefusedRequestAgain() throws Exception
    {
        final CompletionHandle refused = open(1).submit(new Ask(new int[400], 4, -1, 0));
        assertTrue(Incarnation.end(refused).isRefused());
        try (Incarnation second = open(1))
        {
            assertEquals(refused.requestId() + 1, second.submit(LONG).requestId());
        }
    }
}
