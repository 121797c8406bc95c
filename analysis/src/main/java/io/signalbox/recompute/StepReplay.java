// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.backend.StepFault;
import io.signalbox.engine.request.LiveRequests;
import io.signalbox.event.CommitView;
import io.signalbox.event.CompletionView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.journal.JournalReader;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import io.signalbox.state.RunStep;

import java.util.HashMap;
import java.util.Map;

/**
 * Gives the plans of committed steps to a backend when the journal comes to them, and compares their results when it comes
 * to the recorded ones: the backend has as many steps in flight as it had when the journal was written.
 */
final class StepReplay implements RunListener
{
    private final JournalReader journal;
    private final StepSurvey survey;
    private final Backend backend;
    private final ResultBoard board;
    private final StepComparison comparison;
    private final Recomputation.NewWeights weights;
    private final LiveRequests requests = new LiveRequests();
    private final Map<StepName, RecordedPlan> submitted = new HashMap<>();
    private long compared;

    StepReplay(
        final JournalReader journal, final StepSurvey survey, final Backend backend, final ResultBoard board,
        final StepComparison comparison, final Recomputation.NewWeights weights)
    {
        this.weights = weights;
        this.journal = journal;
        this.survey = survey;
        this.backend = backend;
        this.board = board;
        this.comparison = comparison;
    }

    /** Stops behind the first step that differs. */
    void run(final Recomputation.StepProgress progress)
    {
        final RunFold fold = RunFold.within(this);
        while (comparison.isEqual() && journal.next())
        {
            fold.onGroup(journal.group(), 0, journal.groupLength());
            progress.onSteps(compared, survey.committed());
        }
    }

    @Override
    public void onSubmit(final SubmitDecoder submit)
    {
        requests.submit(submit);
    }

    @Override
    public void onAccepted(final RunRequest request)
    {
        requests.accept(request.id());
    }

    @Override
    public void onRefused(final RunRequest request, final RefusedDecoder refused)
    {
        requests.refuse();
    }

    @Override
    public void onStep(final StepView step)
    {
        requests.schedule(step);
        final RecordedPlan plan = RecordedPlan.of(step);
        if (survey.isCommitted(plan.name()))
        {
            submitted.put(plan.name(), plan);
            backend.submit(step.with(requests));
        }
    }

    @Override
    public void onNewWeights(final NewWeightsDecoder change)
    {
        final int generation = change.weightGeneration();
        backend.newWeights(generation, weights.prepare(generation, change.version()));
    }

    /** A report of a step that was not committed, or a second one, changed nothing when it was recorded. */
    @Override
    public void onCompletion(final CompletionView completion)
    {
        final RecordedPlan plan = submitted.remove(new StepName(completion.rank(), completion.step()));
        if (plan == null)
        {
            return;
        }
        final StepResult result = board.take(plan.name(), backend.stepTimeoutNanos());
        if (result.fault() == StepFault.RANK_LOST)
        {
            throw new ConfigException(plan.name() + " could not be computed again, because the backend " +
                backend.capabilities().name() + " lost the rank (" + result.detail() +
                "); give it what it lacks, and start the command again.");
        }
        comparison.compare(journal.sequence(), plan, completion, journal.rows(), result);
        compared++;
    }

    @Override
    public void onLanded(final RunStep landed, final CommitView commit)
    {
        requests.commit(commit);
    }

    @Override
    public void onRequeued(final RunRequest request, final RequeuedDecoder requeued)
    {
        requests.requeue(requeued.requestId());
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder free)
    {
        requests.free(free.requestId());
    }
}
