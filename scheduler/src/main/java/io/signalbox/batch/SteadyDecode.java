// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;

/**
 * The entry of most requests in most steps: it feeds one token at a position that is certain, within the last block of its
 * request, and samples one that does not end the request. {@link BatchPlanner} and {@link StepCommit} ask here first and do
 * the same for every other entry in more general terms. A request of a decode step costs a tenth of a microsecond in all:
 * at that scale each question that need not be asked counts.
 */
final class SteadyDecode
{
    private SteadyDecode()
    {
    }

    /**
     * Adds the next entry of a running request to the plan, if it needs no block and one token is all that is left to feed.
     * If draft tokens are computed, a start may be uncertain, and no entry is steady.
     *
     * @return whether it did.
     */
    static boolean plan(final StepPlan plan, final Request request, final BlockSize blockSize, final BatchRules rules)
    {
        final Residency flights = request.residency;
        final int position = request.computedTokens + flights.tokens();
        final int left = request.blockCount * blockSize.tokens() - position;
        if (left <= 0 || left > blockSize.tokens() || rules.draftTokens() > 0)
        {
            return false;
        }
        final boolean isOnDevice = position >= request.knownTokens();
        if (isOnDevice ? position >= request.mostTokens() - 1 || plan.step() - flights.sampledInStep() > rules.depth() :
            position < request.knownTokens() - 1 || !request.wantsTokens() ||
            position < request.prefix().count() * blockSize.tokens())
        {
            return false;
        }
        plan.addSteady(request, position, isOnDevice);
        flights.add(plan.step(), 1, position + 1, isOnDevice);
        flights.sampledIn(plan.step(), plan.entryCount() - 1);
        return true;
    }

    /** Whether the entry, which its request still owns, computes and emits one token, and nothing else happens with it. */
    static boolean isSteady(
        final StepPlan plan, final int entry, final Request request, final int token, final BlockSize blockSize)
    {
        return plan.isSteady(entry) && !request.isEnding() && request.wantsMoreThanOne() && !request.stopsAt(token) &&
            request.weights.last() == plan.weightGeneration() && !request.residency.isProvisional() &&
            request.prefix().isWithinOpenBlock(plan.entryStart(entry), blockSize.tokens());
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
        request.residency.landed(plan.step());
        request.generated(token);
        load.computed(request, 1);
    }
}
