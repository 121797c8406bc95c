// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.event.EventReader;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.WithdrawalCause;
import io.signalbox.event.codec.WithdrawnDecoder;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What an engine tells the listener of failed steps, which throws at times, and the stages of new weights; compared with the
 * journal after the engine was closed.
 */
final class HostileWitness
{
    private final List<Completion.StepFailure> told = new CopyOnWriteArrayList<>();
    private final Map<String, CompletableFuture<Integer>> stages = new ConcurrentHashMap<>();
    final ExecutorService callbacks = Executors.newFixedThreadPool(2, work ->
    {
        final Thread thread = new Thread(work, "hostile-callbacks");
        thread.setUncaughtExceptionHandler((dead, planted) -> { });
        return thread;
    });

    void failed(final Completion.StepFailure failure)
    {
        told.add(failure);
        if (told.size() % 3 == 0)
        {
            throw new IllegalStateException("planted");
        }
    }

    /** @param version of these weights alone. */
    void announced(final String version, final CompletableFuture<Integer> stage)
    {
        stages.put(version, stage);
    }

    /** Everything that was told must be in the journal, in its order, and everything in the journal must have been told. */
    void check(final String rerun, final RecordingJournal journal) throws InterruptedException
    {
        callbacks.shutdown();
        assertTrue(callbacks.awaitTermination(1, TimeUnit.MINUTES), rerun);
        final Recorded recorded = new Recorded();
        for (final RecordingJournal.Recorded group : journal.recorded)
        {
            recorded.sentence = "";
            recorded.readGroup(new UnsafeBuffer(group.group()), 0, group.group().length);
        }
        assertEquals(recorded.failures, told, rerun);
        stages.forEach((version, stage) ->
        {
            assertTrue(stage.isDone(), rerun + ": the stage of weights " + version);
            final Integer generation = recorded.generations.get(version);
            if (generation != null && generation <= recorded.planned)
            {
                assertEquals(generation, stage.getNow(-1), rerun);
            }
            else
            {
                assertTrue(stage.isCompletedExceptionally(), rerun + ": no step of the weights " + version);
            }
        });
    }

    /** Failures and generations of the journal. */
    private static final class Recorded extends EventReader
    {
        private final List<Completion.StepFailure> failures = new ArrayList<>();
        private final Map<String, Integer> generations = new HashMap<>();
        private int planned;
        /** Of the fault or time-out that the group begins with. */
        private String sentence;

        @Override
        protected void onBackendFault(final BackendFaultDecoder fault)
        {
            sentence = fault.detail();
        }

        @Override
        protected void onStepTimedOut(final StepTimedOutDecoder timeout)
        {
            sentence = "the backend did not report step " + timeout.step() + " of rank " + timeout.rank() + " in time";
        }

        @Override
        protected void onWithdrawn(final WithdrawnDecoder withdrawn)
        {
            final String detail = withdrawn.detail();
            if (withdrawn.cause() != WithdrawalCause.RESET && withdrawn.step() == withdrawn.causeStep())
            {
                final String cause = detail.isEmpty() ? sentence : detail;
                failures.add(new Completion.StepFailure(withdrawn.rank(), withdrawn.step(), cause.isEmpty() ?
                    "step " + withdrawn.step() + " of rank " + withdrawn.rank() + " failed" : cause));
            }
        }

        @Override
        protected void onNewWeights(final NewWeightsDecoder weights)
        {
            generations.put(weights.version(), weights.weightGeneration());
        }

        @Override
        protected void onSchedule(final StepView plan)
        {
            planned = Math.max(planned, plan.weightGeneration());
        }
    }
}
