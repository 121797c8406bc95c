// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.EventReader;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.WeightsWay;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.journal.restart.KeyedRequests;
import org.agrona.DirectBuffer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What engines that were killed told of refusals, failed requests, failed steps and new weights, compared with the journal:
 * a later engine tells the same, and nothing that was told is missing in the journal.
 */
final class VisibleEnds
{
    private final Set<Long> refused = new HashSet<>();
    /** Rank, step and sentence. */
    private final Map<Long, String> failures = new HashMap<>();
    private final Set<String> failedSteps = new HashSet<>();
    /** Generations by version. */
    private final Map<String, Integer> stages = new HashMap<>();
    /** Ends of requests that the last engine counted, by reason. */
    private String figures = "";
    private final Recorded recorded = new Recorded();

    /** Returns whether it is a line of these. */
    boolean see(final String line)
    {
        final String[] words = line.split(" ", 3);
        switch (words[0])
        {
            case "REFUSED" -> refused.add(Long.valueOf(words[1]));
            case "FAILED" ->
            {
                final String before = failures.put(Long.valueOf(words[1]), words[2]);
                assertTrue(before == null || before.equals(words[2]), line + " after " + before);
            }
            case "STEPFAILED" -> failedSteps.add(words[1] + " " + words[2]);
            case "FIGURES" -> figures = line.substring(words[0].length() + 1);
            case "STAGE" -> stages.put(words[2], Integer.valueOf(words[1]));
            default ->
            {
                return false;
            }
        }
        return true;
    }

    Recorded recorded()
    {
        return recorded;
    }

    /** @param isShortened whether the journal has lost its first segments. */
    void check(final boolean isShortened)
    {
        refused.forEach(id -> assertFalse(recorded.ends.containsKey(id), "the id " + id + " was given twice"));
        stages.forEach((version, generation) ->
        {
            assertTrue(recorded.planned >= generation, "no step has the weights " + version);
            assertEquals(generation, recorded.generations.getOrDefault(version, isShortened ? generation : -1), version);
        });
        if (!isShortened)
        {
            assertTrue(recorded.refused.containsAll(refused), () -> refused + " not in " + recorded.refused);
            failures.forEach((id, failure) -> assertEquals(recorded.failures.get(id), failure, "request " + id));
            assertTrue(recorded.failedSteps.containsAll(failedSteps), () -> failedSteps + " not in " + recorded.failedSteps);
            checkFigures();
            assertTrue(!refused.isEmpty() && !failures.isEmpty() && !failedSteps.isEmpty() && !stages.isEmpty(),
                "too little was told");
        }
    }

    /** An engine counts from the image at which it began; each later end of the run counts once, by its reason. */
    private void checkFigures()
    {
        final long[] counted = Stream.of(figures.split(" ")).mapToLong(Long::parseLong).toArray();
        final List<FreeReason> ends = recorded.reasons;
        final int first = ends.size() - Math.toIntExact(LongStream.of(counted).sum());
        assertTrue(first >= 0 && first <= recorded.endsBefore, () -> figures + " of " + ends.size());
        final long[] expected = Stream.of(FreeReason.LENGTH, FreeReason.STOP, FreeReason.DEADLINE, FreeReason.NEW_WEIGHTS,
            FreeReason.FAILED, null).mapToLong(reason -> Collections.frequency(ends.subList(first, ends.size()), reason))
            .toArray();
        assertArrayEquals(expected, counted);
    }

    /** What the journal says of these. */
    static final class Recorded extends EventReader
    {
        private final Set<Long> refused = new HashSet<>();
        private final Map<Long, FreeReason> ends = new HashMap<>();
        /** Of all ends in their order; null: refused. */
        private final List<FreeReason> reasons = new ArrayList<>();
        /** Ends before the newest engine. */
        private int endsBefore;
        private final Map<Long, String> failures = new HashMap<>();
        private final Set<String> failedSteps = new HashSet<>();
        private final Map<String, Integer> generations = new HashMap<>();
        private int planned;
        private boolean aborts;
        private String sentence;

        void read(final DirectBuffer group, final int length)
        {
            sentence = "";
            readGroup(group, 0, length);
        }

        /** Whether a request ended with its answer; other ends must be those that it may have. */
        boolean endsByItself(final long id, final KeyedRequests.End wanted)
        {
            final FreeReason reason = ends.get(id);
            switch (reason)
            {
                case DEADLINE -> assertEquals(KeyedRequests.End.DEADLINE, wanted, "request " + id);
                case FAILED -> assertEquals(KeyedRequests.End.POISON, wanted, "request " + id);
                case NEW_WEIGHTS -> assertTrue(aborts, "request " + id);
                default -> assertTrue(reason == FreeReason.LENGTH || reason == FreeReason.STOP, "request " + id);
            }
            return wanted != KeyedRequests.End.CLIENT && (reason == FreeReason.LENGTH || reason == FreeReason.STOP);
        }

        @Override
        protected void onRefused(final RefusedDecoder message)
        {
            refused.add(message.requestId());
            reasons.add(null);
        }

        @Override
        protected void onBackendReset(final BackendResetDecoder reset)
        {
            endsBefore = reasons.size();
        }

        @Override
        protected void onFree(final FreeDecoder message)
        {
            ends.put(message.requestId(), message.reason());
            reasons.add(message.reason());
            if (message.reason() == FreeReason.FAILED)
            {
                message.released().forEach(block -> { });
                message.weightSpans().forEach(span -> { });
                final String step = message.failedRank() + " " + message.failedStep() + " ";
                failures.put(message.requestId(), step + message.failure());
            }
        }

        @Override
        protected void onBackendFault(final BackendFaultDecoder fault)
        {
            sentence = fault.detail();
        }

        @Override
        protected void onWithdrawn(final WithdrawnDecoder withdrawn)
        {
            failedSteps.add(withdrawn.rank() + " " + withdrawn.step() + " " + sentence);
        }

        @Override
        protected void onNewWeights(final NewWeightsDecoder weights)
        {
            aborts |= weights.way() == WeightsWay.ABORT;
            generations.put(weights.version(), weights.weightGeneration());
        }

        @Override
        protected void onSchedule(final StepView plan)
        {
            planned = Math.max(planned, plan.weightGeneration());
        }
    }
}
