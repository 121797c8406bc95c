// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;
import io.signalbox.experts.RequestRows;
import io.signalbox.experts.RoutedExpertPages;

import java.util.Arrays;

/**
 * One live request: its parameters, its progress, and the KV blocks that it owns. Objects are pooled and reused.
 */
public final class Request extends Residency
{
    public static final int NO_RANK = -1;
    public static final int MAX_STOP_TOKENS = 64;

    private static final int CANCELLED = 2;
    private static final int EXPIRED = 4;
    private static final int RESUMED = 8;
    private static final int HINT_RELAXED = 16;
    private static final int FAILED = 32;
    private static final int OUTDATED = 64;
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

    final RequestRows rows;
    final TenantShare tenant = new TenantShare();
    final WeightSpans weights = new WeightSpans();
    private long conversationId;
    private long deadlineNanos;
    /** Of {@link #CANCELLED} and the others: what has happened to the request. */
    private int flags;
    /** Cache generation of the admission: blocks are shared within one generation only. */
    int generation;
    private int rank = NO_RANK;
    private int priority;
    private int rankHint;
    private boolean hintRelaxed;
    /** Prompt tokens that were cached on the rank when the request was placed there. */
    int cachedTokens;
    private int rowsFrom;
    private int impossibleRows;
    /** Position in the scheduler's list of live requests. */
    private int liveIndex;

    private final FailedTries tries = new FailedTries();
    private final PromptHead head = new PromptHead();
    private final PrefixHashes prefix = new PrefixHashes();
    int[] blockTable = new int[16];
    private Stage stage = Stage.QUEUED;

    /** @param pages pages of routed-expert rows, or null if capture is off. */
    public Request(final RoutedExpertPages pages)
    {
        rows = pages == null ? null : new RequestRows(pages);
    }

    public Request reset(
        final long requestId, final int prompt, final int newTokens, final int wantedRowsFrom)
    {
        id = requestId;
        promptTokens = prompt;
        maxNewTokens = newTokens;
        clearStopTokens();
        rowsFrom = wantedRowsFrom;
        prefix.clear();
        head.clear();
        conversationId = -1;
        cachedTokens = 0;
        blockCount = 0;
        stage = Stage.QUEUED;
        rank = NO_RANK;
        computedTokens = 0;
        computedHighWater = 0;
        generatedTokens = 0;
        unsettle();
        reset();
        tenant.reset();
        impossibleRows = 0;
        generation = 0;
        flags = 0;
        weights.clear();
        tries.reset();
        return this;
    }

    public Request constraints(final int rankToUse, final boolean relaxed, final int order, final long deadline)
    {
        rankHint = rankToUse;
        hintRelaxed = relaxed;
        priority = order;
        deadlineNanos = deadline;
        return this;
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

    /** The hashes of the request's full blocks. */
    public PrefixHashes prefix()
    {
        return prefix;
    }

    public long id()
    {
        return id;
    }

    public int promptTokens()
    {
        return promptTokens;
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

    public boolean wantsRows()
    {
        return rowsFrom >= 0;
    }

    public int rank()
    {
        return rank;
    }

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
        waitAnew();
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
        begin(admission);
    }

    /** The request lost its blocks and is computed again later. */
    void startsOver()
    {
        stage(Stage.PLACED);
        endAndWait();
        flags |= RESUMED;
    }

    /** Whether a plan may compute tokens of the request, which runs. */
    boolean takesEntries()
    {
        return !isLeaving();
    }

    /** The request has ended; its rows stay until the client has taken them. */
    public void finished()
    {
        stage(Stage.FINISHED);
        end();
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

    /** Tokens that went through a forward pass at any time; equals the number of rows that the request should have. */
    public int computedHighWater()
    {
        return computedHighWater;
    }

    void computed(final int tokens)
    {
        computedTokens += tokens;
        computedHighWater = Math.max(computedHighWater, computedTokens);
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

    public WeightSpans weights()
    {
        return weights;
    }

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

    /** Tokens of the request at its end, unless it stops before. */
    int mostTokens()
    {
        return promptTokens + maxNewTokens;
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

    boolean wantsTokens()
    {
        return generatedTokens < maxNewTokens;
    }

    public boolean isCancelled()
    {
        return (flags & CANCELLED) != 0;
    }

    /** Marks the request as cancelled: it ends as soon as no step in flight computes it. */
    public void cancel()
    {
        flags |= CANCELLED;
    }

    /** Marks the request as cancelled because its deadline passed. */
    public void expire()
    {
        flags |= CANCELLED | EXPIRED;
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

    /** Whether the request ends as soon as no step in flight computes it. */
    public boolean isEnding()
    {
        return (flags & ENDING) != 0;
    }

    public boolean isExpired()
    {
        return (flags & EXPIRED) != 0;
    }

    /** Whether a step in flight computes tokens of the request. */
    public boolean isInFlight()
    {
        return !isEmpty();
    }

    /** The newest step that computes tokens of the request; 0 if none is in flight. */
    public long newestStepInFlight()
    {
        return isEmpty() ? 0 : newestStep();
    }

    boolean isResumed()
    {
        return (flags & RESUMED) != 0;
    }

    /** The rows, or null if capture is off. */
    public RequestRows rows()
    {
        return rows;
    }

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

    public int liveIndex()
    {
        return liveIndex;
    }

    public void liveIndex(final int index)
    {
        liveIndex = index;
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
        return tries.digest(digest);
    }
}
