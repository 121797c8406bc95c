// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;
import io.signalbox.event.RequestContent;
import io.signalbox.experts.RequestRows;
import io.signalbox.experts.RoutedExpertPages;
import io.signalbox.experts.SavedPages;
import io.signalbox.saved.SavedFields;

import java.util.Arrays;

/**
 * One live request: its progress, its entries in flight, its KV blocks, its stay in the batch of a rank, its place, and what
 * the client asked for. Objects are pooled and reused.
 *
 * <p>Each step reads a few fields of each request of its batch, and a step of a thousand requests misses the first-level
 * cache for each line of each object. So those fields are in this object, and first: the JVM lays out fields of one size in
 * the order of their declaration.
 */
public final class Request
{
    public static final int NO_RANK = -1;
    public static final long NO_REQUEST = -1;
    public static final int MAX_STOP_TOKENS = RequestContent.MAX_STOP_TOKENS;
    /** Of a sentence of a backend, which may fail every queued request in one group. */
    private static final int MOST_FAILURE_CHARACTERS = 1000;

    /** Steps of one rank that may be in flight. */
    static final int MAX_DEPTH = 4;

    /** In the place of {@link #liveIndex()}: no request. */
    static final int NO_INDEX = -1;

    private static final int COUNT_SHIFT = 32;
    private static final long NO_STEP = Long.MIN_VALUE / 2;
    private static final long NONE_LOOSE = Long.MIN_VALUE;
    private static final long NO_STAY = 0;

    private static final int CANCELLED = 2;
    private static final int EXPIRED = 4;
    private static final int RESUMED = 8;
    private static final int HINT_RELAXED = 16;
    private static final int FAILED = 32;
    private static final int OUTDATED = 64;
    private static final int STOPPED = 128;
    private static final int ENDING = CANCELLED | FAILED | OUTDATED;

    /** Stage of a request. */
    public enum Stage
    {
        /** Not placed yet. */
        QUEUED,
        /** Placed on a rank, without KV blocks. */
        PLACED,
        /** Owns KV blocks and takes part in steps. */
        RUNNING,
        /** Ended; its rows are kept until the client takes them. */
        FINISHED;

        private boolean leadsTo(final Stage next)
        {
            return switch (this)
            {
                case QUEUED, RUNNING -> next == PLACED || next == FINISHED;
                case PLACED -> next != PLACED;
                case FINISHED -> false;
            };
        }
    }

    /** Why a request gets no further entries, and leaves the batch when its last entry has landed. */
    enum Leaving
    {
        NO,
        /** It waits again: another request needs its blocks. */
        PREEMPTED,
        /** It waits again: a step that computed it was withdrawn. */
        WITHDRAWN,
        /** It waits again: its blocks are of former weights. */
        NEW_WEIGHTS,
        /** It ends. */
        ENDING
    }

    // Identity and limits.
    private long id;
    private int promptTokens;
    private int maxNewTokens;
    /** Before so many tokens, no stop token ends the request. */
    private int minNewTokens;
    /** Bounds of the stop tokens, inclusive; the highest is -1 without stop tokens. Few tokens are between them. */
    private int lowestStop;
    private int highestStop = -1;
    private int[] stopTokens = {};
    private int stopTokenCount;

    // Progress.
    int computedTokens;
    private int generatedTokens;
    private int computedHighWater;
    private final PrefixHashes prefix = new PrefixHashes();
    final WeightSpans weights = new WeightSpans();
    /** Null if capture is off. */
    final RequestRows rows;

    // Entries in flight, in step order. The host knows bounds of the position at which the next entry starts; the device
    // knows the position. Each commit narrows the bounds, and nothing is rolled back.
    /** Per entry its step, and its count, its end and whether it is bound late; mostly there are at most two entries. */
    private long step0;
    private long word0;
    private long step1;
    private long word1;
    private final long[] deeper = new long[2 * (MAX_DEPTH - 2)];
    private int entriesInFlight;
    private int tokensInFlight;
    /** The newest step with an entry whose start or advance the host does not know. */
    private long newestLoose = NONE_LOOSE;
    /** Step and entry that sample the last token that is known or will be. */
    private long sampledInStep = NO_STEP;
    private int sampledInEntry;
    /** Below this position {@link SteadyDecode} plans entries of the request; 0: none. */
    int steadyPlanEnd;
    /** Below this position {@link SteadyDecode} commits entries of the request; 0: none. */
    int steadyCommitEnd;
    /** The weights of such entries. */
    int steadyWeights;

    // KV blocks.
    int[] blockTable = new int[16];
    int blockCount;
    /** The last block of the table and its issue: mostly, a step computes tokens of this block alone. */
    int lastBlock;
    int lastIssue;
    /** Cache generation of the admission: blocks are shared within one generation only. */
    int generation;
    /** Blocks {@code [firstPending, endPending)} are shared with steps in flight. */
    private int firstPending;
    private int endPending;
    /** Whether the request had emitted a token before it shared them. */
    private boolean hadEmitted;

    // The stay in the batch of its rank: from its admission until it gives its KV blocks back.
    /** Number of the stay. */
    private long stay = NO_STAY;
    /** Of a request that waits again: the number of the stay that it lost. */
    private long formerStay = NO_STAY;
    private Leaving leaving = Leaving.NO;
    private boolean paused;
    private int promisedBlocks;
    /** Counts on beyond the stay. */
    private int preemptions;

    // Place.
    private Stage stage = Stage.QUEUED;
    private int rank = NO_RANK;
    /** Prompt tokens that were cached on the rank when the request was placed there. */
    int cachedTokens;
    /** Position in the scheduler's list of live requests. */
    private int liveIndex;

    // Flags and failures.
    /** Of {@link #CANCELLED} and the others: what has happened to the request. */
    private int flags;
    private final FailedTries tries = new FailedTries();
    private int impossibleRows;
    /** Why the last step failed that ended the request; {@code null}: none did. */
    private String failure;
    private long failedStep;
    private int failedRank;

    // What the client asked for.
    /** Tokens of the answer, as the client has found its end; -1: it has not. */
    private int answerTokens;
    /** The request of the same prompt that computes its blocks first, until that has happened; -1: none. */
    private long sampleOf;
    private int rowsFrom;
    private int rankHint;
    private boolean hintRelaxed;
    private int priority;
    private long deadlineNanos;
    private long conversationId;
    private final PromptHead head = new PromptHead();
    final TenantShare tenant = new TenantShare();

    /** @param pages pages of routed-expert rows, or null if capture is off. */
    public Request(final RoutedExpertPages pages)
    {
        rows = pages == null ? null : new RequestRows(pages);
    }

    public Request reset(final long requestId, final int prompt, final int newTokens, final int wantedRowsFrom)
    {
        id = requestId;
        promptTokens = prompt;
        maxNewTokens = newTokens;
        minNewTokens = 0;
        stopTokenCount = 0;
        lowestStop = 0;
        highestStop = -1;
        computedTokens = 0;
        generatedTokens = 0;
        computedHighWater = 0;
        prefix.clear();
        weights.clear();
        unsettle();
        blockCount = 0;
        generation = 0;
        endStay();
        formerStay = NO_STAY;
        preemptions = 0;
        stage = Stage.QUEUED;
        rank = NO_RANK;
        cachedTokens = 0;
        flags = 0;
        tries.reset();
        impossibleRows = 0;
        failure = null;
        failedStep = 0;
        failedRank = NO_RANK;
        answerTokens = -1;
        sampleOf = NO_REQUEST;
        rowsFrom = wantedRowsFrom;
        conversationId = -1;
        head.clear();
        tenant.reset();
        return this;
    }

    // Identity and limits.

    public long id()
    {
        return id;
    }

    public int promptTokens()
    {
        return promptTokens;
    }

    /** The most tokens that it generates. */
    public int maxNewTokens()
    {
        return maxNewTokens;
    }

    /** Tokens of the request at its end, unless it stops before. */
    int mostTokens()
    {
        return promptTokens + maxNewTokens;
    }

    /** @param tokens before so many generated tokens, no stop token ends the request. */
    public Request least(final int tokens)
    {
        minNewTokens = tokens;
        return this;
    }

    /** Adds a stop token, which must be above all earlier stop tokens. */
    public void addStopToken(final int token)
    {
        if (stopTokenCount == stopTokens.length)
        {
            stopTokens = Arrays.copyOf(stopTokens, Math.max(2, 2 * stopTokenCount));
        }
        lowestStop = stopTokenCount == 0 ? token : lowestStop;
        highestStop = token;
        stopTokens[stopTokenCount++] = token;
    }

    /** Whether it is a stop token, which ends the request unless that has too few tokens. */
    boolean stopsAt(final int sampledToken)
    {
        return sampledToken >= lowestStop && sampledToken <= highestStop && isStopToken(sampledToken);
    }

    /** Whether the token that was generated last ends the request. */
    boolean endsWith(final int generatedToken)
    {
        return stopsAt(generatedToken) && generatedTokens > minNewTokens;
    }

    private boolean isStopToken(final int token)
    {
        for (int i = 0; i < stopTokenCount; i++)
        {
            if (stopTokens[i] == token)
            {
                return true;
            }
        }
        return false;
    }

    private long stopDigest()
    {
        long digest = -1;
        for (int i = 0; i < stopTokenCount; i++)
        {
            digest = StateDigest.mix(digest, stopTokens[i]);
        }
        return digest;
    }

    // Progress.

    /**
     * Counts the matched prefix as computed.
     *
     * @param certainTokens of it, those that do not depend on a step in flight.
     */
    void startAt(final int matchedTokens, final int certainTokens)
    {
        computedTokens = matchedTokens;
        computedHighWater = Math.max(computedHighWater, certainTokens);
    }

    void computed(final int tokens)
    {
        computedTokens += tokens;
        computedHighWater = Math.max(computedHighWater, computedTokens);
    }

    /** Tokens that went through a forward pass at any time; equals the number of rows that the request should have. */
    public int computedHighWater()
    {
        return computedHighWater;
    }

    void generated(final int token)
    {
        generatedTokens++;
        prefix.addToken(token);
    }

    /** The same for several tokens, from {@code first} on in the array. */
    void generated(final int[] tokens, final int first, final int count)
    {
        generatedTokens += count;
        prefix.addTokens(tokens, first, count);
    }

    public int generatedTokens()
    {
        return generatedTokens;
    }

    /** Tokens whose values are known: the prompt and the generated tokens. */
    public int knownTokens()
    {
        return promptTokens + generatedTokens;
    }

    boolean wantsTokens()
    {
        return generatedTokens < maxNewTokens;
    }

    /** The hashes of the request's full blocks. */
    public PrefixHashes prefix()
    {
        return prefix;
    }

    public WeightSpans weights()
    {
        return weights;
    }

    /** The rows, or null if capture is off. */
    public RequestRows rows()
    {
        return rows;
    }

    // Entries in flight.

    /** Whether a step in flight computes tokens of the request. */
    public boolean isInFlight()
    {
        return entriesInFlight > 0;
    }

    /** The newest step that computes tokens of the request; 0 if none is in flight. */
    public long newestStepInFlight()
    {
        return entriesInFlight == 0 ? 0 : entryStep(entriesInFlight - 1);
    }

    /**
     * Adds the newest entry.
     *
     * @param end         no position at or above it is computed.
     * @param isLateBound whether it advances by 1 to {@code count} tokens, which the device decides; else by {@code count}.
     */
    void addEntry(final long step, final int count, final int end, final boolean isLateBound)
    {
        if (entriesInFlight == MAX_DEPTH || entriesInFlight > 0 && step <= newestStepInFlight())
        {
            throw new InvariantViolation("an entry of step " + step + " joins " + entriesInFlight +
                " entries in flight, the newest of step " + newestStepInFlight());
        }
        if (isLateBound && (count > 1 || isLoose()))
        {
            newestLoose = step;
        }
        append(step, word(count, end, isLateBound));
        tokensInFlight += count;
    }

    private static long word(final int count, final int end, final boolean isLateBound)
    {
        return (long)count << COUNT_SHIFT | (long)end << 1 | (isLateBound ? 1 : 0);
    }

    private void append(final long step, final long word)
    {
        final int index = entriesInFlight++;
        if (index == 0)
        {
            step0 = step;
            word0 = word;
        }
        else if (index == 1)
        {
            step1 = step;
            word1 = word;
        }
        else
        {
            deeper[2 * index - 4] = step;
            deeper[2 * index - 3] = word;
        }
    }

    /** The oldest entry has landed. */
    void landed(final long step)
    {
        if (entriesInFlight == 0 || step0 != step)
        {
            throw new InvariantViolation("an entry of step " + step + " landed, but the oldest entry in flight is of step " +
                (entriesInFlight == 0 ? "none" : Long.toString(step0)));
        }
        tokensInFlight -= entryCount(0);
        if (--entriesInFlight > 0)
        {
            step0 = step1;
            word0 = word1;
        }
        if (entriesInFlight > 1)
        {
            step1 = deeper[0];
            word1 = deeper[1];
            deeper[0] = deeper[2];
            deeper[1] = deeper[3];
        }
    }

    /** Entries of this step and of later ones will never land; returns whether there were any. */
    boolean withdraw(final long fromStep)
    {
        final int before = entriesInFlight;
        while (entriesInFlight > 0 && newestStepInFlight() >= fromStep)
        {
            tokensInFlight -= entryCount(--entriesInFlight);
        }
        return entriesInFlight < before;
    }

    /** No entry will ever land. */
    void clearEntries()
    {
        entriesInFlight = 0;
        tokensInFlight = 0;
        newestLoose = NONE_LOOSE;
    }

    private long entryStep(final int index)
    {
        return index == 0 ? step0 : index == 1 ? step1 : deeper[2 * index - 4];
    }

    private long entryWord(final int index)
    {
        return index == 0 ? word0 : index == 1 ? word1 : deeper[2 * index - 3];
    }

    private int entryCount(final int index)
    {
        return (int)(entryWord(index) >>> COUNT_SHIFT);
    }

    private int entryEnd(final int index)
    {
        return (int)entryWord(index) >>> 1;
    }

    private boolean isLateBound(final int index)
    {
        return (entryWord(index) & 1) != 0;
    }

    /** Tokens of the entries in flight: by so many the request advances, unless a start is uncertain. */
    int tokensInFlight()
    {
        return tokensInFlight;
    }

    /** Whether the next entry may start at several positions. May be true without need after a withdrawal. */
    private boolean isLoose()
    {
        return entriesInFlight > 0 && step0 <= newestLoose;
    }

    /** Lowest position at which the next entry can start. */
    int lowestStart()
    {
        return isLoose() ? lowestOfSeveral() : computedTokens + tokensInFlight;
    }

    private int lowestOfSeveral()
    {
        int low = computedTokens;
        for (int i = 0; i < entriesInFlight; i++)
        {
            low += !isLateBound(i) ? entryCount(i) : low < entryEnd(i) ? 1 : 0;
        }
        return low;
    }

    /** Highest position at which the next entry can start. */
    int highestStart()
    {
        return isLoose() ? highestOfSeveral() : computedTokens + tokensInFlight;
    }

    private int highestOfSeveral()
    {
        int high = computedTokens;
        for (int i = 0; i < entriesInFlight; i++)
        {
            high = isLateBound(i) ? Math.max(high, Math.min(high + entryCount(i), entryEnd(i))) : high + entryCount(i);
        }
        return high;
    }

    /** The entry whose sampled token is the last one that is known or will be. */
    void sampledIn(final long step, final int entry)
    {
        sampledInStep = step;
        sampledInEntry = entry;
    }

    /** The step of that entry; far back if no token was sampled since the admission. */
    long sampledInStep()
    {
        return sampledInStep;
    }

    int sampledInEntry()
    {
        return sampledInEntry;
    }

    /** Something has changed that entries depend on: the next one is planned and committed in general terms. */
    void unsettle()
    {
        steadyPlanEnd = 0;
        steadyCommitEnd = 0;
    }

    private long entriesDigest()
    {
        long digest = entriesInFlight;
        for (int i = 0; i < entriesInFlight; i++)
        {
            digest = StateDigest.mix(digest, entryStep(i),
                ((long)entryCount(i) << 33) ^ ((long)entryEnd(i) << 1) ^ (isLateBound(i) ? 1 : 0));
        }
        return digest;
    }

    // KV blocks.

    public int blockCount()
    {
        return blockCount;
    }

    public int blockId(final int index)
    {
        return blockTable[index];
    }

    void ensureTable(final int blocks)
    {
        if (blocks > blockTable.length)
        {
            blockTable = Arrays.copyOf(blockTable, Math.max(blocks, 2 * blockTable.length));
        }
    }

    /**
     * Sets the cache generation of tokens that are computed later. Releases the rows of an earlier generation that were
     * not paired with an emitted token, because their tokens are recomputed.
     */
    void enterGeneration(final int currentGeneration)
    {
        if (generation != currentGeneration && generatedTokens == 0)
        {
            computedHighWater = 0;
            weights.clear();
            if (rows != null)
            {
                rows.clear();
            }
        }
        generation = currentGeneration;
    }

    /** Blocks {@code [first, end)} of the request are shared with steps in flight. */
    void shares(final int first, final int end)
    {
        firstPending = first;
        endPending = end;
        hadEmitted = generatedTokens > 0;
    }

    void sharesNothingPending()
    {
        firstPending = 0;
        endPending = 0;
    }

    /** Whether rows and counts of shared blocks are provisional: none of the request's steps was committed since. */
    boolean isProvisional()
    {
        return firstPending < endPending;
    }

    int firstPending()
    {
        return firstPending;
    }

    int endPending()
    {
        return endPending;
    }

    boolean hadEmitted()
    {
        return hadEmitted;
    }

    // The stay in the batch.

    /** The number of the stay, which differs between any two. */
    long stay()
    {
        return stay;
    }

    private void endStay()
    {
        stay = NO_STAY;
        leaving = Leaving.NO;
        paused = false;
        promisedBlocks = 0;
        sharesNothingPending();
        clearEntries();
        sampledInStep = NO_STEP;
        sampledInEntry = 0;
    }

    /** Whether the request has run on its rank and waits again, and was admitted before the other request. */
    boolean wasAheadOf(final Request other)
    {
        return formerStay != NO_STAY && formerStay < other.formerStay;
    }

    /** The first reason counts, except that a request that is to end does not wait again. */
    void leave(final Leaving reason)
    {
        leaving = leaving == Leaving.NO || reason == Leaving.ENDING ? reason : leaving;
    }

    Leaving leaving()
    {
        return leaving;
    }

    /** Whether the request gets no further entries in this stay. */
    boolean isLeaving()
    {
        return leaving != Leaving.NO;
    }

    /** Whether the request waits again once none of its entries is in flight. */
    boolean isComingBack()
    {
        return leaving != Leaving.NO && leaving != Leaving.ENDING;
    }

    /** Why the request waits again. */
    RequeueCause cause()
    {
        return switch (leaving)
        {
            case PREEMPTED -> RequeueCause.PREEMPTED;
            case WITHDRAWN -> RequeueCause.STEP_WITHDRAWN;
            case NEW_WEIGHTS -> RequeueCause.NEW_WEIGHTS;
            case NO, ENDING -> throw new InvariantViolation("a request that waits again is " + leaving);
        };
    }

    /** Whether the request keeps its blocks but gets no entries. */
    boolean isPaused()
    {
        return paused;
    }

    void pause(final boolean isPaused)
    {
        paused = isPaused;
    }

    /** Blocks that the request may have in this stay, whatever others need. */
    int promisedBlocks()
    {
        return promisedBlocks;
    }

    void promise(final int blocks)
    {
        promisedBlocks = blocks;
    }

    /** How often the request gave up its blocks for others. */
    int preemptions()
    {
        return preemptions;
    }

    void preempted()
    {
        preemptions++;
    }

    private long stayDigest()
    {
        final long digest = StateDigest.mix(
            StateDigest.mix(stay, leaving.ordinal(), entriesDigest()), sampledInStep, sampledInEntry);
        final long counted = preemptions == 0 && promisedBlocks == 0 && !paused ? digest :
            StateDigest.mix(digest, ((long)preemptions << 1) + (paused ? 1 : 0), promisedBlocks);
        final long shared = firstPending < endPending ? StateDigest.mix(counted, firstPending, endPending) : counted;
        return formerStay == NO_STAY ? shared : StateDigest.mix(shared, formerStay);
    }

    // Place.

    public Stage stage()
    {
        return stage;
    }

    /** The only method that changes the stage, except {@link #reset}, which begins another request. */
    void stage(final Stage next)
    {
        if (!stage.leadsTo(next))
        {
            throw new InvariantViolation("request " + id + " cannot go from " + stage + " to " + next);
        }
        stage = next;
    }

    /** @param matchedTokens prompt tokens that were cached on the rank. */
    void placed(final int onRank, final int matchedTokens)
    {
        stage(Stage.PLACED);
        formerStay = NO_STAY;
        rank = onRank;
        cachedTokens = matchedTokens;
    }

    /** Returns the request to the queue of those that wait for a rank. */
    void unplaced()
    {
        stage(Stage.QUEUED);
        rank = NO_RANK;
    }

    /** @param admission a number of no other admission. */
    void admitted(final long admission)
    {
        stage(Stage.RUNNING);
        unsettle();
        stay = admission;
        formerStay = NO_STAY;
    }

    /** The request lost its blocks; it waits again on its rank and is computed again later. */
    void startsOver()
    {
        stage(Stage.PLACED);
        formerStay = stay;
        endStay();
        flags |= RESUMED;
    }

    /** The request has ended; its rows stay until the client has taken them. */
    public void finished()
    {
        stage(Stage.FINISHED);
        endStay();
    }

    public int rank()
    {
        return rank;
    }

    public int liveIndex()
    {
        return liveIndex;
    }

    public void liveIndex(final int index)
    {
        liveIndex = index;
    }

    // Flags and failures.

    /** Marks the request as cancelled: it ends as soon as no step in flight computes it. */
    public void cancel()
    {
        flags |= CANCELLED;
    }

    public boolean isCancelled()
    {
        return (flags & CANCELLED) != 0;
    }

    /** Marks the request as cancelled because its deadline passed. */
    public void expire()
    {
        flags |= CANCELLED | EXPIRED;
    }

    public boolean isExpired()
    {
        return (flags & EXPIRED) != 0;
    }

    /** The request was in too many steps that failed, and is not tried again. */
    public void fail()
    {
        flags |= FAILED;
    }

    /** The request has begun under former weights and is not to continue under new ones. */
    public void outdate()
    {
        flags |= OUTDATED;
    }

    public boolean isOutdated()
    {
        return (flags & OUTDATED) != 0;
    }

    /**
     * The client has found the end of the answer: the request ends, as soon as no step in flight computes it, with so many
     * tokens.
     */
    public void stopAfter(final int tokens)
    {
        flags |= CANCELLED | STOPPED;
        answerTokens = Math.min(tokens, generatedTokens);
    }

    public boolean isStopped()
    {
        return (flags & STOPPED) != 0;
    }

    /** Drops what the request computed and generated behind the end that its client has found. */
    public void cutAnswer()
    {
        generatedTokens = answerTokens;
        computedHighWater = Math.min(computedHighWater, promptTokens + Math.max(0, answerTokens - 1));
        weights.cut(computedHighWater);
        if (rows != null)
        {
            rows.cut(computedHighWater);
        }
    }

    /** The failure of this step ends the request. */
    public void fail(final String sentence, final long step, final int ofRank)
    {
        fail();
        failure = sentence.length() > MOST_FAILURE_CHARACTERS ? sentence.substring(0, MOST_FAILURE_CHARACTERS) : sentence;
        failedStep = step;
        failedRank = ofRank;
    }

    /** Why the last step failed that ended the request; empty if none did. */
    public String failure()
    {
        return failure == null ? "" : failure;
    }

    /** 0: none. */
    public long failedStep()
    {
        return failedStep;
    }

    public int failedRank()
    {
        return failedRank;
    }

    /** Whether weights have given it a token, or compute its KV blocks. */
    public boolean hasBegun()
    {
        return stage == Stage.RUNNING || generatedTokens > 0;
    }

    /** Whether the request ends as soon as no step in flight computes it. */
    public boolean isEnding()
    {
        return (flags & ENDING) != 0;
    }

    boolean isResumed()
    {
        return (flags & RESUMED) != 0;
    }

    /**
     * A step of these weights failed that had tokens of the request; returns in how many it was alone since it last got
     * further, see {@link FailedTries}.
     *
     * @param entries requests in the step.
     */
    public int countFailure(final int entries, final int weightGeneration)
    {
        return tries.count(entries, computedHighWater, weightGeneration);
    }

    /** Failed steps count no more once the request has got further. */
    void forgetOldTries()
    {
        tries.computed(computedHighWater);
    }

    /** Most requests in a step with this one; a suspect if that is not any number: {@link FailedTries}. */
    int mostTogether()
    {
        return tries.mostTogether();
    }

    /** Rows of the request that were refused, each time they were computed. */
    public int impossibleRows()
    {
        return impossibleRows;
    }

    void addImpossibleRows(final int rowCount)
    {
        impossibleRows += rowCount;
    }

    // What the client asked for.

    public Request constraints(final int rankToUse, final boolean relaxed, final int order, final long deadline)
    {
        rankHint = rankToUse;
        hintRelaxed = relaxed;
        priority = order;
        deadlineNanos = deadline;
        return this;
    }

    /** @param first the request of the same prompt that computes its blocks first, or {@link #NO_REQUEST}. */
    public Request sampleOf(final long first)
    {
        sampleOf = first;
        return this;
    }

    /** The request that has to compute the blocks of the prompt before this one is placed; {@link #NO_REQUEST}: none. */
    public long sampleOf()
    {
        return sampleOf;
    }

    /** The first request of the prompt has computed its blocks, on this rank, or {@link #NO_RANK} if they are lost. */
    public void joins(final int rankOfFirst)
    {
        sampleOf = NO_REQUEST;
        rankHint = rankOfFirst == NO_RANK ? rankHint : rankOfFirst;
        hintRelaxed = rankOfFirst == NO_RANK && hintRelaxed;
    }

    /** @param conversation id of the conversation that the request is a turn of, or -1. */
    public Request conversation(final long conversation)
    {
        conversationId = conversation;
        return this;
    }

    public Request tenant(final long tenantKey)
    {
        tenant.key = tenantKey;
        return this;
    }

    public boolean wantsRows()
    {
        return rowsFrom >= 0;
    }

    public int rankHint()
    {
        return rankHint;
    }

    public boolean hintRelaxed()
    {
        return hintRelaxed;
    }

    public int priority()
    {
        return priority;
    }

    /** -1: none. */
    public long deadlineNanos()
    {
        return deadlineNanos;
    }

    /** -1: none. */
    public long conversationId()
    {
        return conversationId;
    }

    public PromptHead head()
    {
        return head;
    }

    /** Saves the request, or restores it in a new one; its next entry is committed in general terms. */
    public void save(final SavedFields fields, final SavedPages pages)
    {
        id = fields.number(id);
        saveLimits(fields);
        saveProgress(fields);
        fields.record(() -> saveEntries(fields));
        saveBlocks(fields);
        saveStay(fields);
        savePlace(fields);
        saveWishes(fields);
        fields.record(() -> prefix.save(fields));
        fields.record(() -> weights.save(fields));
        fields.record(() -> tries.save(fields));
        fields.record(() -> head.save(fields));
        fields.record(() -> tenant.save(fields));
        if (rows != null)
        {
            fields.record(() -> rows.save(fields, pages));
        }
    }

    private void saveLimits(final SavedFields fields)
    {
        promptTokens = fields.int32(promptTokens);
        maxNewTokens = fields.int32(maxNewTokens);
        minNewTokens = fields.int32(minNewTokens);
        stopTokenCount = fields.count(stopTokenCount);
        stopTokens = fields.int32s(stopTokens, stopTokenCount);
        lowestStop = stopTokenCount == 0 ? 0 : stopTokens[0];
        highestStop = stopTokenCount == 0 ? -1 : stopTokens[stopTokenCount - 1];
    }

    private void saveProgress(final SavedFields fields)
    {
        computedTokens = fields.int32(computedTokens);
        generatedTokens = fields.int32(generatedTokens);
        computedHighWater = fields.int32(computedHighWater);
        newestLoose = fields.number(newestLoose);
        sampledInStep = fields.number(sampledInStep);
        sampledInEntry = fields.int32(sampledInEntry);
    }

    private void saveEntries(final SavedFields fields)
    {
        final int count = fields.int32(entriesInFlight, 0, MAX_DEPTH);
        for (int i = 0; i < count; i++)
        {
            final boolean isThere = i < entriesInFlight;
            final long step = fields.number(isThere ? entryStep(i) : 0);
            final int tokens = fields.int32(isThere ? entryCount(i) : 0);
            final int end = fields.int32(isThere ? entryEnd(i) : 0);
            final boolean isLate = fields.flag(isThere && isLateBound(i));
            if (fields.isReading())
            {
                append(step, word(tokens, end, isLate));
                tokensInFlight += tokens;
            }
        }
    }

    private void saveBlocks(final SavedFields fields)
    {
        blockCount = fields.count(blockCount);
        blockTable = fields.int32s(blockTable, blockCount);
        lastBlock = fields.int32(lastBlock);
        lastIssue = fields.int32(lastIssue);
        generation = fields.int32(generation);
        firstPending = fields.int32(firstPending);
        endPending = fields.int32(endPending);
        hadEmitted = fields.flag(hadEmitted);
    }

    private void saveStay(final SavedFields fields)
    {
        stay = fields.number(stay);
        formerStay = fields.number(formerStay);
        leaving = fields.constant(leaving, Leaving.values());
        paused = fields.flag(paused);
        promisedBlocks = fields.int32(promisedBlocks);
        preemptions = fields.int32(preemptions);
    }

    private void savePlace(final SavedFields fields)
    {
        stage = fields.constant(stage, Stage.values());
        rank = fields.int32(rank);
        cachedTokens = fields.int32(cachedTokens);
        flags = fields.int32(flags);
        impossibleRows = fields.int32(impossibleRows);
        failure = fields.text(failure);
        failedStep = fields.number(failedStep);
        failedRank = fields.int32(failedRank);
    }

    private void saveWishes(final SavedFields fields)
    {
        answerTokens = fields.int32(answerTokens);
        sampleOf = fields.number(sampleOf);
        rowsFrom = fields.int32(rowsFrom);
        rankHint = fields.int32(rankHint);
        hintRelaxed = fields.flag(hintRelaxed);
        priority = fields.int32(priority);
        deadlineNanos = fields.number(deadlineNanos);
        conversationId = fields.number(conversationId);
    }

    /** Digest of all state that decides how the request continues. */
    public long digest()
    {
        long digest = StateDigest.mix(
            id, ((long)promptTokens << 32) | maxNewTokens, ((long)generatedTokens << 32) | computedTokens);
        digest = StateDigest.mix(digest, ((long)rank << 32) ^ stage.ordinal(), flags | (hintRelaxed ? HINT_RELAXED : 0));
        digest = StateDigest.mix(digest, ((long)generation << 32) ^ computedHighWater, ((long)priority << 32) ^ rankHint);
        digest = StateDigest.mix(digest, deadlineNanos, ((long)cachedTokens << 32) ^ stopDigest());
        digest = head.digest(StateDigest.mix(digest, conversationId, tenant.key));
        for (int i = 0; i < blockCount; i++)
        {
            digest = StateDigest.mix(digest, blockTable[i]);
        }
        digest = StateDigest.mix(digest, prefix.digest(), impossibleRows);
        digest = weights.digest(StateDigest.mix(digest, stayDigest()));
        return limitsDigest(tries.digest(digest));
    }

    /** Rare limits leave the digest of other requests as it is. */
    private long limitsDigest(final long before)
    {
        final long limited = minNewTokens == 0 && answerTokens < 0 ? before :
            StateDigest.mix(before, minNewTokens, answerTokens);
        final long joined = sampleOf == NO_REQUEST ? limited : StateDigest.mix(limited, sampleOf);
        return failedStep == 0 ? joined : StateDigest.mix(joined, failedStep, failedRank);
    }
}
