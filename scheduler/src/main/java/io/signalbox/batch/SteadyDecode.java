// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;

/**
 * The entry of most requests in most steps: it feeds one token at a position that is certain, within the last block of its
 * request, and samples one that does not end the request. {@link BatchPlanner} and {@link StepCommit} ask here first and do
 * the same for every other entry in more general terms. A request of a decode step costs less than a tenth of a microsecond
 * in all: at that scale each question that need not be asked counts, so that its answer is a bound which is computed
 * whenever something changes on which it depends.
 */
final class SteadyDecode
{
    private SteadyDecode()
    {
    }

    /** An entry of the request has been committed in general terms, and the request continues. */
    static void settle(final Request request, final int weightGeneration, final BlockSize blockSize)
    {
        final Residency stay = request.stay();
        final int computed = request.computedTokens;
        final boolean decodes = request.knownTokens() == computed + 1 && request.prefix().endsBefore(computed, blockSize);
        if (!decodes || request.isEnding() || stay.isLeaving() || stay.isProvisional() ||
            request.weights.last() != weightGeneration || request.weights.floor(weightGeneration, computed) > computed)
        {
            request.unsettle();
            return;
        }
        request.steadyWeights = weightGeneration;
        request.keepsTokens = request.prefix().keepsTokens();
        // The entry before the last one emits the last but one token.
        request.steadyCommitEnd = Math.min(request.mostTokens() - 2, request.prefix().endOfOpenBlock(blockSize));
        request.steadyPlanEnd = planEnd(request, blockSize);
    }

    /** The table of a request may have gained a block. */
    static void grown(final Request request, final BlockSize blockSize)
    {
        request.steadyPlanEnd = request.steadyPlanEnd == 0 ? 0 : planEnd(request, blockSize);
    }

    private static int planEnd(final Request request, final BlockSize blockSize)
    {
        return Math.min(request.mostTokens() - 1, request.blockCount * blockSize.tokens());
    }

    /**
     * Adds the next entry of a running request to the plan, if it needs no block and one token is all that is left to feed.
     * If draft tokens are computed, a start may be uncertain, and no entry is steady.
     *
     * @return whether it did.
     */
    static boolean plan(final StepPlan plan, final Request request, final BatchRules rules)
    {
        final Residency flights = request.stay();
        final int position = request.computedTokens + flights.tokens();
        if (position >= request.steadyPlanEnd || rules.draftTokens() > 0)
        {
            return false;
        }
        final boolean isOnDevice = position >= request.knownTokens();
        if (isOnDevice && plan.step() - flights.sampledInStep() > rules.depth())
        {
            return false;
        }
        plan.addSteady(request, position, isOnDevice);
        flights.add(plan.step(), 1, position + 1, isOnDevice);
        flights.sampledIn(plan.step(), plan.entryCount() - 1);
        return true;
    }

    /** Whether the entry, which its request still owns, computes and emits one token, and nothing else happens with it. */
    static boolean isSteady(final StepPlan plan, final int entry, final Request request, final int token)
    {
        return plan.isSteady(entry) && plan.entryStart(entry) < request.steadyCommitEnd &&
            request.steadyWeights == plan.weightGeneration() && !request.stopsAt(token);
    }

    /** The step has landed, and the token of such an entry is known. */
    static void commit(final StepPlan plan, final int entry, final RankLoad load, final int token)
    {
        final Request request = plan.entryRequest(entry);
        if (request.computedTokens != plan.entryStart(entry))
        {
            throw new InvariantViolation("request " + request.id() + " has computed " + request.computedTokens +
                " tokens, but an entry of it began at position " + plan.entryStart(entry));
        }
        request.stay().landed(plan.step());
        if (request.keepsTokens)
        {
            request.generated(token);
        }
        else
        {
            request.generatedTokens++;
        }
        load.computed(request, 1);
    }
}
