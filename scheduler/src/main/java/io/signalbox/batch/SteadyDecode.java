// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;

/**
 * The entry of most requests in most steps: it feeds one token at a position that is certain, within the last block of its
 * request, and samples one that does not end the request; or with draft tokens, the same for all tokens that it accepts,
 * from whatever start. {@link BatchPlanner} and {@link StepCommit} ask here first and do
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
        final int computed = request.computedTokens;
        final boolean decodes = request.knownTokens() == computed + 1 && request.prefix().endsBefore(computed, blockSize);
        if (!decodes || request.isEnding() || request.isLeaving() || request.isProvisional() ||
            request.weights.last() != weightGeneration || request.weights.floor(weightGeneration, computed) > computed)
        {
            request.unsettle();
            return;
        }
        request.steadyWeights = weightGeneration;
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
     * Adds the next entries of running requests to the plan, as long as an entry needs no block and one token is all that is
     * left to feed, or one token and all draft tokens. A loop of nothing else keeps the arrays of the plan in registers.
     *
     * @param from   the first request.
     * @param end    behind the last request.
     * @param budget tokens that the step may have.
     * @return the entries that were added, each with one token and all draft tokens.
     */
    static int plan(
        final StepPlan plan,
        final RequestQueue running,
        final int from,
        final int end,
        final BatchRules rules,
        final RankBlocks blocks,
        final int budget)
    {
        int next = from;
        if (rules.draftTokens() == 0)
        {
            final int last = from + Math.min(end - from, budget);
            plan.ensureEntries(last - from);
            while (next < last && add(plan, running.get(next), rules.depth()))
            {
                next++;
            }
            return next - from;
        }
        final int tokens = 1 + rules.draftTokens();
        // Each running request behind this one must still find a token left.
        int most = budget - (running.size() - 1 - from);
        while (next < end && addDrafts(plan, running.get(next), rules, blocks, most))
        {
            next++;
            most += 1 - tokens;
        }
        return next - from;
    }

    private static boolean add(final StepPlan plan, final Request request, final int depth)
    {
        final int position = request.computedTokens + request.tokensInFlight();
        if (position >= request.steadyPlanEnd)
        {
            return false;
        }
        // All tokens but the last known one are computed, or else the request would not be settled.
        final boolean isOnDevice = request.tokensInFlight() > 0;
        if (isOnDevice && plan.step() - request.sampledInStep() > depth)
        {
            return false;
        }
        plan.addSteady(request, position, isOnDevice);
        request.addEntry(plan.step(), 1, position + 1, isOnDevice);
        request.sampledIn(plan.step(), plan.entryCount() - 1);
        return true;
    }

    /** The blocks must hold every token that the entry may compute; its start may be uncertain. */
    private static boolean addDrafts(
        final StepPlan plan, final Request request, final BatchRules rules, final RankBlocks blocks, final int most)
    {
        final int tokens = 1 + rules.draftTokens();
        final int highest = request.highestStart();
        final int end = highest + tokens;
        if (end > request.steadyPlanEnd || tokens > most || plan.step() - request.sampledInStep() > rules.depth())
        {
            return false;
        }
        final int lowest = request.lowestStart();
        if (lowest < request.knownTokens() - 1)
        {
            return false;
        }
        plan.addLateEntry(request, lowest, highest, tokens - 1, end);
        request.addEntry(plan.step(), tokens, end, true);
        request.sampledIn(plan.step(), plan.entryCount() - 1);
        blocks.layOut(request, lowest, end);
        return true;
    }

    /** Whether the entry, which its request still owns, computes and emits one token, and nothing else happens with it. */
    static boolean isSteady(final StepPlan plan, final int entry, final Request request, final int token)
    {
        return plan.isSteady(entry) && plan.entryStart(entry) < request.steadyCommitEnd &&
            request.steadyWeights == plan.weightGeneration() && !request.stopsAt(token);
    }

    /**
     * Whether the entry, which its request still owns and whose start the device knew alone, computes and emits all tokens
     * that it accepts, and nothing else happens with it.
     *
     * @param first index of the first accepted token.
     */
    static boolean areSteady(
        final StepPlan plan,
        final int entry,
        final Request request,
        final StepOutput output,
        final int first,
        final int accepted)
    {
        if (!plan.isLateBound(entry) || output.start(entry) + accepted > request.steadyCommitEnd ||
            request.steadyWeights != plan.weightGeneration())
        {
            return false;
        }
        int i = 0;
        while (i < accepted && !request.stopsAt(output.token(first + i)))
        {
            i++;
        }
        return i == accepted;
    }

    /** The step has landed, and the token of such an entry is known. */
    static void commit(final StepPlan plan, final int entry, final RankLoad load, final int token)
    {
        final Request request = plan.entryRequest(entry);
        landed(plan, request, plan.entryStart(entry));
        request.generated(token);
        load.computed(request, 1);
    }

    /** The same for several tokens, from {@code first} on in the array. */
    static void commit(
        final StepPlan plan,
        final int entry,
        final RankLoad load,
        final int start,
        final int[] tokens,
        final int first,
        final int accepted)
    {
        final Request request = plan.entryRequest(entry);
        landed(plan, request, start);
        request.generated(tokens, first, accepted);
        load.computed(request, accepted);
    }

    private static void landed(final StepPlan plan, final Request request, final int start)
    {
        if (request.computedTokens != start)
        {
            throw new InvariantViolation("request " + request.id() + " has computed " + request.computedTokens +
                " tokens, but an entry of it began at position " + start);
        }
        request.landed(plan.step());
    }
}
