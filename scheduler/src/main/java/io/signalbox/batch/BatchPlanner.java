// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;
import io.signalbox.saved.SavedFields;

/**
 * Decides which tokens of which requests one DP rank computes in its next step. Every request closes the gap between its
 * known and its computed tokens; running ones come first, by priority and then in the order of their admission, then
 * waiting ones in theirs, under one token budget. If KV blocks run out, the running request of the lowest priority, and of
 * these the one admitted last, gives up its blocks and is computed again later (recompute); or, within a limit, the request
 * that lacks a block keeps those it has and waits ({@link PausedRequests}).
 *
 * <p>No request gives up its blocks more often than {@link BatchRules#maxPreemptions}: after that it is admitted when all
 * blocks that it can need are free, and they are promised to it.
 *
 * <p>Steps may be planned while earlier ones are in flight. The token that an entry feeds may then be on the device only,
 * and with draft tokens even its position: {@link Request} keeps the interval, and blocks are allocated to its end.
 */
public final class BatchPlanner
{
    private static final int RANK_BITS = 16;

    private final RankBlocks blocks;
    private final RankLoad load;
    private final BatchRules rules;
    private final int draftTokens;
    private final BatchListener listener;
    private final AdmissionRoom admission;
    private final PausedRequests paused;
    private final Victims victims;
    private final LongPrefills longPrefills;
    private final Suspects suspects;

    /** By priority, of one priority in the order of admission. */
    private final RequestQueue running = new RequestQueue();
    private final RequestQueue waiting = new RequestQueue();
    /** Running requests that get no further entries, and those of them that will wait again. */
    private int leavingCount;
    private int comingBackCount;
    private long admissions;
    private int budget;
    private boolean tookVictim;
    /** A request ahead in the step waits for a block: no later one may take it. */
    private boolean leftOneWaiting;
    /** Nothing would run if requests were paused. */
    private boolean mustTakeVictim;
    /** Requests that have not begun wait for new weights. */
    private boolean admitsBegunOnly;

    /**
     * @param load     updated with every change.
     * @param listener receives every request that loses its blocks and waits again, is paused, or continues.
     */
    public BatchPlanner(
        final RankBlocks blocks, final RankLoad load, final BatchRules rules, final BatchListener listener)
    {
        this.blocks = blocks;
        this.load = load;
        this.rules = rules;
        this.listener = listener;
        admission = blocks.room();
        suspects = new Suspects(rules.suspectTurns());
        draftTokens = rules.draftTokens();
        victims = new Victims(rules.maxPreemptions());
        longPrefills = new LongPrefills(rules.longPrefillTokens(), rules.maxLongPrefills());
        paused = new PausedRequests(rules.pausedBlocks(), listener);
        blocks.allocator().requestBlocks(new RunningBlocks(running, paused));
    }

    public boolean hasWork()
    {
        return !running.isEmpty() || !waiting.isEmpty();
    }

    /** Digest of the order of the requests, of the blocks that retire, and of the cache generation. */
    public long digest()
    {
        return suspects.digest(StateDigest.mix(
            StateDigest.mix(running.digest(), waiting.digest(), blocks.generation()), admissions, blocks.inFlightDigest()));
    }

    /** Saves what is known between two plans, or restores it in a new planner. */
    public void save(final SavedFields fields, final RequestPlaces requests)
    {
        admissions = fields.number(admissions);
        leavingCount = fields.int32(leavingCount);
        comingBackCount = fields.int32(comingBackCount);
        admitsBegunOnly = fields.flag(admitsBegunOnly);
        fields.record(() -> running.save(fields, requests));
        fields.record(() -> waiting.save(fields, requests));
        fields.record(() -> paused.save(fields));
        fields.record(() -> suspects.save(fields));
    }

    /**
     * Accepts a request that the router placed on this rank.
     *
     * @param cachedTokens prompt tokens that the router knew to be cached on the rank.
     */
    public void place(final Request request, final int cachedTokens)
    {
        request.placed(blocks.rank(), cachedTokens);
        load.add(request);
        waiting.addByPriority(request);
        suspects.placed(request);
    }

    /**
     * Fills the plan of the next step.
     *
     * @param step its number.
     * @return whether it computes anything; if not, it must not be launched for the sake of this rank.
     */
    public boolean plan(final StepPlan plan, final long step)
    {
        plan.clear();
        plan.number(step, blocks.weightGeneration());
        blocks.begin(plan);
        budget = rules.stepTokens();
        tookVictim = false;
        longPrefills.clear();
        leftOneWaiting = false;
        for (boolean more = suspects.begin(running, waiting); more; more = suspects.leaveOut(plan))
        {
            continueRunning(plan);
            if (!tookVictim && comingBackCount == 0 && paused.count() == 0)
            {
                admitWaiting(plan);
            }
        }
        if (plan.entryCount() == 0 && (tookVictim || paused.count() > 0))
        {
            takeVictimsUntilOneRuns(plan);
        }
        suspects.planned(plan);
        return plan.entryCount() > 0;
    }

    /** Unless something will land and free blocks: one victim after the other, or nobody would ever run. */
    private void takeVictimsUntilOneRuns(final StepPlan plan)
    {
        mustTakeVictim = true;
        do
        {
            tookVictim = false;
            leftOneWaiting = false;
            suspects.begin(running, waiting);
            for (boolean more = !running.anyInFlight() && !blocks.isRetiring(); more; more = suspects.leaveOut(plan))
            {
                continueRunning(plan);
            }
        }
        while (plan.entryCount() == 0 && tookVictim);
        mustTakeVictim = false;
    }

    private void continueRunning(final StepPlan plan)
    {
        int next = 0;
        while (next < running.size() && budget > 0)
        {
            final Request request = running.get(next);
            final boolean isAllowed = suspects.allow(plan, request);
            final int end = suspects.areNone() ? running.size() : isAllowed ? next + 1 : next;
            final int steady = SteadyDecode.plan(plan, running, next, end, rules, blocks, budget);
            budget -= steady * (1 + draftTokens);
            final boolean continues = steady == 0 && isAllowed && !request.isLeaving();
            if (continues)
            {
                continueRequest(plan, request, running.size() - 1 - next);
            }
            // The victim may be the request itself.
            next += !continues ? Math.max(1, steady) : next < running.size() && running.get(next) == request ? 1 : 0;
        }
    }

    /** @param behind running requests that come after this one in the step. */
    private void continueRequest(final StepPlan plan, final Request request, final int behind)
    {
        final int lowest = request.lowestStart();
        final int known = request.knownTokens();
        final int drafts = lowest < known - 1 ? 0 : draftsFor(plan, request, lowest, behind);
        if (lowest < known && drafts == 0)
        {
            continueKnown(plan, request, lowest);
        }
        else if (lowest < request.mostTokens() - 1 && plan.step() - request.sampledInStep() <= rules.depth())
        {
            continueLate(plan, request, lowest, request.highestStart(), drafts);
        }
    }

    /** Draft tokens for an entry that starts at {@code lowest}; every request behind it must still find a token left. */
    private int draftsFor(final StepPlan plan, final Request request, final int lowest, final int behind)
    {
        final boolean onDevice = draftTokens > 0 && plan.step() - request.sampledInStep() <= rules.depth() &&
            request.sampledInStep() > 0;
        return onDevice ?
            Math.max(0, Math.min(Math.min(draftTokens, budget - 1 - behind), request.mostTokens() - 2 - lowest)) : 0;
    }

    /** The host knows the tokens from {@code start} on. */
    private void continueKnown(final StepPlan plan, final Request request, final int start)
    {
        final int tokens = Math.min(longPrefills.most(request.knownTokens() - start), budget);
        final int room = tokens == 0 ? start : room(request, start, start + tokens);
        if (room > start)
        {
            addKnown(plan, request, start, room - start);
        }
    }

    private void addKnown(final StepPlan plan, final Request request, final int start, final int tokens)
    {
        grow(request, start + tokens);
        final boolean samples = start + tokens == request.knownTokens() && request.wantsTokens();
        longPrefills.added(request.knownTokens() - start);
        plan.addEntry(request, start, tokens, samples);
        blocks.announce(request, start, start + tokens);
        added(plan, request, start, tokens, start + tokens, samples, false);
    }

    /** The device holds the token, and perhaps the position, from which the request continues. */
    private void continueLate(
        final StepPlan plan, final Request request, final int lowest, final int highest, final int drafts)
    {
        final int most = request.mostTokens() - 1;
        final int granted = drafts > 0 && Math.min(highest + 1 + drafts, most) > available(request) ? 0 : drafts;
        final int room = room(request, lowest, Math.min(highest + 1 + granted, most));
        if (room > lowest)
        {
            grow(request, room);
            plan.addLateEntry(request, lowest, highest, granted, room);
            added(plan, request, lowest, 1 + granted, room, true, true);
        }
    }

    private void added(
        final StepPlan plan,
        final Request request,
        final int start,
        final int tokens,
        final int end,
        final boolean samples,
        final boolean isLate)
    {
        budget -= tokens;
        request.addEntry(plan.step(), tokens, end, isLate);
        if (samples)
        {
            request.sampledIn(plan.step(), plan.entryCount() - 1);
        }
        blocks.layOut(request, start, end);
        SteadyDecode.grown(request, blocks.blockSize());
    }

    private void grow(final Request request, final int tokens)
    {
        if (!blocks.grow(request, tokens))
        {
            throw new InvariantViolation("request " + request.id() + " was promised blocks for " + tokens + " tokens: " +
                blocks.allocator());
        }
    }

    /**
     * Position up to which the request can be computed, at most {@code end}; {@code start} or less if it is left out. A
     * request with an entry in flight never costs another one its blocks, and nobody loses blocks while some are about to
     * return: such a decision would rest on what is not settled yet.
     */
    private int room(final Request request, final int start, final int end)
    {
        if (blocks.hold(request, end))
        {
            // It is not paused: a paused one lacked a block for its next token, and has gained none.
            return end;
        }
        long room = available(request);
        if (room <= start && !tookVictim && !request.isInFlight() && leavingCount == 0 && !blocks.isRetiring())
        {
            room = shorten(request) ? available(request) : start;
        }
        if (room > start)
        {
            paused.proceed(request);
        }
        return (int)Math.min(room, end);
    }

    private long available(final Request request)
    {
        return leftOneWaiting ? blocks.ownTokens(request) : blocks.mostTokens(request);
    }

    /** No block is left for the request. Returns whether it may continue, because another one has given up its blocks. */
    private boolean shorten(final Request request)
    {
        final boolean isPaused = request.isPaused();
        if (!mustTakeVictim && (isPaused || paused.count() < running.size() - 1 && paused.allows(request)))
        {
            if (!isPaused)
            {
                paused.pause(request);
            }
            leftOneWaiting = true;
            return false;
        }
        takeVictim();
        return !request.isLeaving() && request.stage() == Request.Stage.RUNNING;
    }

    /** The running request of the lowest priority, of these the one admitted last, gives up its blocks. */
    private void takeVictim()
    {
        tookVictim = true;
        final Request victim = victims.choose(running);
        leave(victim, Request.Leaving.PREEMPTED);
        leaveIfOver(victim);
    }

    /** Admits waiting requests in their order; long prompts without room, and those that {@link Suspects} bars, wait. */
    private void admitWaiting(final StepPlan plan)
    {
        int at = 0;
        while (at < waiting.size() && running.size() < rules.maxRunning() && budget > 0)
        {
            final Request request = waiting.get(at);
            if (admitsBegunOnly && !request.hasBegun())
            {
                at++;
                continue;
            }
            if (!suspects.allow(plan, request))
            {
                // A suspect that has no room yet keeps its place in the queue.
                at = suspects.areLeftOut() ? waiting.size() : at + 1;
                continue;
            }
            final int matched = blocks.match(request);
            final int promised =
                admission.promised(request, victims.isExempt(request) ? AdmissionPromise.WHOLE : rules.promise());
            final int watermark = running.isEmpty() ? 0 : rules.watermarkBlocks();
            if (longPrefills.most(request.knownTokens() - blocks.tokensOf(matched)) == 0)
            {
                at++;
                continue;
            }
            if (!admission.fits(request, matched, promised, watermark))
            {
                break;
            }
            waiting.removeAt(at);
            running.addByPriority(request);
            admit(plan, request, matched, promised);
        }
    }

    private void admit(final StepPlan plan, final Request request, final int matched, final int promised)
    {
        request.admitted(++admissions << RANK_BITS | blocks.rank());
        final int registered = blocks.share(request, matched);
        blocks.promise(request, promised);
        final int start = blocks.tokensOf(matched);
        load.start(request, start, blocks.tokensOf(registered));
        plan.addAdmitted(request, matched, request.isResumed());
        addKnown(plan, request, start, Math.min(longPrefills.most(request.knownTokens() - start), budget));
    }

    /**
     * The step that was planned first of those in flight has landed, and has been committed. Requests that leave with it
     * wait in the order in which they ran.
     */
    public void landed(final StepPlan plan)
    {
        blocks.landed(plan);
        for (int entry = plan.entryCount() - 1; comingBackCount > 0 && entry >= 0; entry--)
        {
            if (plan.isOwned(entry))
            {
                leaveIfOver(plan.entryRequest(entry));
            }
        }
    }

    private void leave(final Request request, final Request.Leaving reason)
    {
        count(request, -1);
        request.leave(reason);
        request.unsettle();
        count(request, 1);
    }

    private void count(final Request request, final int sign)
    {
        leavingCount += request.isLeaving() ? sign : 0;
        comingBackCount += request.isComingBack() ? sign : 0;
    }

    private void leaveIfOver(final Request request)
    {
        if (request.isComingBack() && !request.isInFlight())
        {
            running.remove(request);
            waitAgain(request);
        }
    }

    /** They wait in the order in which they ran: the last one is the first to go. */
    private void leaveAllThatAreOver()
    {
        for (int i = running.size() - 1; i >= 0; i--)
        {
            leaveIfOver(running.get(i));
        }
    }

    /** The request gives up its blocks and waits, ahead of the others of its priority. */
    private void waitAgain(final Request request)
    {
        count(request, -1);
        paused.ended(request);
        final RequeueCause cause = request.cause();
        listener.onRequeue(request, cause);
        blocks.release(request);
        request.blockCount = 0;
        load.startOver(request);
        request.startsOver();
        if (cause == RequeueCause.PREEMPTED)
        {
            request.preempted();
        }
        waiting.addAgain(request);
    }

    /** Removes a request that has ended; its blocks are released, or retire if steps in flight may write them. */
    public void remove(final Request request)
    {
        if (request.stage() == Request.Stage.RUNNING)
        {
            count(request, -1);
            paused.ended(request);
            running.remove(request);
            blocks.retire(request);
        }
        else
        {
            waiting.remove(request);
        }
        load.remove(request);
    }

    /**
     * Steps from {@code fromStep} on will never land. Requests that they computed start over, ahead of the waiting ones and
     * in their order, once no earlier step computes them.
     */
    public void withdraw(final long fromStep)
    {
        suspects.expect();
        for (int i = 0; i < running.size(); i++)
        {
            final Request request = running.get(i);
            if (request.withdraw(fromStep))
            {
                blocks.dropProvisional(request);
                leave(request, request.isEnding() ? Request.Leaving.ENDING : Request.Leaving.WITHDRAWN);
            }
        }
        leaveAllThatAreOver();
    }

    /** No step in flight will ever land: every running request that is not to end starts over, in its order. */
    public void withdrawAll()
    {
        suspects.expect();
        for (int i = 0; i < running.size(); i++)
        {
            final Request request = running.get(i);
            request.clearEntries();
            blocks.dropProvisional(request);
            leave(request, request.isEnding() ? Request.Leaving.ENDING : Request.Leaving.WITHDRAWN);
        }
        leaveAllThatAreOver();
    }

    /** Running requests that are not to end start over, in their order, each once no step in flight computes it. */
    public void requeueAll()
    {
        for (int i = 0; i < running.size(); i++)
        {
            leave(running.get(i), Request.Leaving.NEW_WEIGHTS);
        }
        leaveAllThatAreOver();
    }

    /** @param begunOnly whether requests that have not begun wait, whatever room there is. */
    public void admitBegunOnly(final boolean begunOnly)
    {
        admitsBegunOnly = begunOnly;
    }

    /** Requests on the rank that have not begun. */
    public int notBegun()
    {
        int count = 0;
        for (int i = 0; i < waiting.size(); i++)
        {
            count += waiting.get(i).hasBegun() ? 0 : 1;
        }
        return count;
    }

    /** A running request that is to end gets no further entry; it ends once nothing of it is in flight. */
    public void ends(final Request request)
    {
        leave(request, Request.Leaving.ENDING);
    }

    /** Hands every waiting request back, in order, to be placed on another rank; none may be running. */
    public void evacuate(final WaitingQueue destination)
    {
        while (!waiting.isEmpty())
        {
            final Request request = waiting.removeLast();
            load.remove(request);
            request.unplaced();
            destination.giveBack(request);
        }
    }
}
