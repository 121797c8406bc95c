// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

import io.signalbox.ConfigException;
import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import io.signalbox.state.RunStep;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads a journal ahead of a recomputation, to know which steps were never committed, because they failed, were withdrawn,
 * or were in flight when the run stopped. Nothing that was committed depends on them.
 */
final class StepSurvey implements RunListener
{
    private final Set<StepName> uncommitted = new HashSet<>();
    private long committed;
    private final List<String> newWeights = new ArrayList<>();
    private boolean logprobs;
    private int recordedTokens;

    @Override
    public void onSubmit(final SubmitDecoder submit)
    {
        submit.skipBlockHashes();
        submit.skipCacheKey();
        recordedTokens = submit.tokensLength() / Integer.BYTES;
    }

    /** @throws ConfigException if the journal has not all tokens of the prompt. */
    @Override
    public void onAccepted(final RunRequest request)
    {
        if (recordedTokens != request.promptTokens())
        {
            throw new ConfigException("request " + request.id() + " has " + request.promptTokens() +
                " prompt tokens, of which the journal has " + recordedTokens + ", so no model can compute it again; " +
                "give the journal of a backend that reads tokens, with --journal-tokens=ids, and not a redacted one.");
        }
    }

    @Override
    public void onStep(final StepView step)
    {
        uncommitted.add(new StepName(step.rank(), step.step()));
    }

    @Override
    public void onLanded(final RunStep landed, final CommitView commit)
    {
        uncommitted.remove(new StepName(commit.rank(), commit.step()));
        committed++;
        logprobs |= commit.hasLogprobs();
    }

    @Override
    public void onNewWeights(final NewWeightsDecoder change)
    {
        newWeights.add(change.version());
    }

    boolean isCommitted(final StepName step)
    {
        return !uncommitted.contains(step);
    }

    /** Steps that were committed. */
    long committed()
    {
        return committed;
    }

    /** Steps that were not. */
    long uncommitted()
    {
        return uncommitted.size();
    }

    /** Whether a committed step reported log-probabilities. */
    boolean hasLogprobs()
    {
        return logprobs;
    }

    /** Versions of the weights that replaced others, from generation 1 on. */
    List<String> newWeights()
    {
        return newWeights;
    }
}
