// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

import io.signalbox.ConfigException;
import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.SubmitDecoder;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads a journal ahead of a recomputation, to know which steps were never committed, because they failed, were withdrawn,
 * or were in flight when the run stopped. Nothing that was committed depends on them.
 */
final class StepSurvey extends EventReader
{
    private final Set<StepName> uncommitted = new HashSet<>();
    private long committed;
    private final List<String> newWeights = new ArrayList<>();
    private boolean logprobs;
    private int promptTokens;
    private int recordedTokens;

    @Override
    protected void onSubmit(final SubmitDecoder submit)
    {
        promptTokens = submit.promptTokens();
        submit.skipBlockHashes();
        submit.skipCacheKey();
        recordedTokens = submit.tokensLength() / Integer.BYTES;
    }

    /** @throws ConfigException if the journal has not all tokens of the prompt. */
    @Override
    protected void onAccepted(final AcceptedDecoder accepted)
    {
        if (recordedTokens != promptTokens)
        {
            throw new ConfigException("request " + accepted.requestId() + " has " + promptTokens +
                " prompt tokens, of which the journal has " + recordedTokens + ", so no model can compute it again; " +
                "give the journal of a backend that reads tokens, with --journal-tokens=ids, and not a redacted one.");
        }
    }

    @Override
    protected void onSchedule(final StepView step)
    {
        uncommitted.add(new StepName(step.rank(), step.step()));
    }

    @Override
    protected void onCommit(final CommitView commit)
    {
        uncommitted.remove(new StepName(commit.rank(), commit.step()));
        committed++;
        logprobs |= commit.hasLogprobs();
    }

    @Override
    protected void onNewWeights(final NewWeightsDecoder change)
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
