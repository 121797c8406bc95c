// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

import io.signalbox.event.StepView;
import io.signalbox.event.codec.SubmitDecoder;
import org.agrona.collections.IntArrayList;

/** A live request of a {@link RunFold}, which uses it again for a later one. Times are logical nanoseconds. */
public final class RunRequest
{
    /** In the place of a time, of a match or of a rank that there is not, or that is earlier than the groups. */
    public static final int UNKNOWN = -1;

    /** Requests count from 1. */
    private static final long NO_REQUEST = 0;

    long id;
    long submitNanos;
    long conversationId;
    int promptTokens;
    private int maxNewTokens;
    boolean isRunning;
    boolean isPaused;
    int placedRank;
    int admittedRank;
    long admittedNanos;
    private long admittedInStep;
    private int admittedFirstOn;
    private long matchedInStep;
    private int matchedOnRank;
    int matchedBlocks;
    int generatedMatches;
    int pendingMatches;
    boolean landed;
    int tokens;
    long firstTokenNanos;
    long lastTokenNanos;
    int preemptions;
    int restarts;
    int pauses;
    final IntArrayList blocks = new IntArrayList();

    RunRequest begin(final SubmitDecoder submit, final long nowNanos)
    {
        begin(submit.requestId(), nowNanos, submit.promptTokens());
        maxNewTokens = submit.maxNewTokens();
        conversationId = submit.conversationId();
        return this;
    }

    /** A request that has begun ahead of the groups. */
    RunRequest begin(final RequestState was)
    {
        begin(was.id(), was.submitNanos(), was.promptTokens());
        conversationId = was.conversationId();
        tokens = was.generatedTokens();
        placedRank = was.rank();
        admittedRank = was.rank();
        isRunning = was.stage() == RequestState.Stage.RUNNING;
        isPaused = was.isPaused();
        // What its admission matched is not among the groups, so it cannot be withdrawn.
        landed = isRunning || was.preemptions() > 0 || tokens > 0;
        admittedNanos = landed ? was.sinceNanos() : UNKNOWN;
        matchedBlocks = landed ? 0 : UNKNOWN;
        return this;
    }

    private void begin(final long requestId, final long timeNanos, final int prompt)
    {
        id = requestId;
        submitNanos = timeNanos;
        promptTokens = prompt;
        maxNewTokens = UNKNOWN;
        isRunning = false;
        isPaused = false;
        placedRank = UNKNOWN;
        admittedRank = UNKNOWN;
        admittedNanos = UNKNOWN;
        admittedInStep = 0;
        unmatch();
        landed = false;
        tokens = 0;
        firstTokenNanos = UNKNOWN;
        lastTokenNanos = UNKNOWN;
        preemptions = 0;
        restarts = 0;
        pauses = 0;
        blocks.clear();
    }

    void end()
    {
        id = NO_REQUEST;
    }

    void admit(final StepView plan, final int matched, final long nowNanos)
    {
        isRunning = true;
        admittedRank = plan.rank();
        if (admittedNanos == UNKNOWN)
        {
            admittedNanos = nowNanos;
            admittedInStep = plan.step();
            admittedFirstOn = plan.rank();
        }
        if (matchedBlocks == UNKNOWN)
        {
            matchedBlocks = matched;
            matchedInStep = plan.step();
            matchedOnRank = plan.rank();
        }
    }

    /** The admission that has counted as the first one was withdrawn. */
    void unmatch()
    {
        matchedInStep = 0;
        matchedBlocks = UNKNOWN;
        generatedMatches = 0;
        pendingMatches = 0;
    }

    public long id()
    {
        return id;
    }

    public long submitNanos()
    {
        return submitNanos;
    }

    /** -1: none. */
    public long conversationId()
    {
        return conversationId;
    }

    public int promptTokens()
    {
        return promptTokens;
    }

    /** Whether it has KV blocks on {@link #admittedRank}. */
    public boolean isRunning()
    {
        return isRunning;
    }

    public boolean isPaused()
    {
        return isPaused;
    }

    /** Rank of its last placement; {@link #UNKNOWN} without one. */
    public int placedRank()
    {
        return placedRank;
    }

    /** Rank of its last admission; {@link #UNKNOWN} without one. */
    public int admittedRank()
    {
        return admittedRank;
    }

    /** Time of its first admission; {@link #UNKNOWN} without one. */
    public long admittedNanos()
    {
        return admittedNanos;
    }

    /** Whether the plan has its first admission, which may have been withdrawn since. */
    public boolean isFirstAdmission(final StepView plan)
    {
        return admittedInStep == plan.step() && admittedFirstOn == plan.rank();
    }

    /**
     * Cached blocks that it took over at its first admission whose step was not withdrawn; {@link #UNKNOWN} without one.
     */
    public int matchedBlocks()
    {
        return matchedBlocks;
    }

    /** Whether the plan has the admission that {@link #matchedBlocks} is of. */
    public boolean isMatchedBy(final StepView plan)
    {
        return matchedInStep == plan.step() && matchedOnRank == plan.rank();
    }

    /** Of the matched blocks, those that decoding had filled. */
    public int generatedMatches()
    {
        return generatedMatches;
    }

    /** Of the matched blocks, those that a step in flight computed. */
    public int pendingMatches()
    {
        return pendingMatches;
    }

    /** Tokens that became visible. */
    public int tokens()
    {
        return tokens;
    }

    /** {@link #UNKNOWN} without a token, or if it came ahead of the groups. */
    public long firstTokenNanos()
    {
        return firstTokenNanos;
    }

    /** {@link #UNKNOWN} without a token, or if it came ahead of the groups. */
    public long lastTokenNanos()
    {
        return lastTokenNanos;
    }

    /** Most tokens that it may generate; {@link #UNKNOWN} if it began ahead of the groups. */
    public int maxNewTokens()
    {
        return maxNewTokens;
    }

    /** Mean time per output token after the first; 0 if there is no second one, or the first one's time is not known. */
    public long tpotNanos()
    {
        return tokens < 2 || firstTokenNanos == UNKNOWN ? 0 : (lastTokenNanos - firstTokenNanos) / (tokens - 1);
    }

    public int preemptions()
    {
        return preemptions;
    }

    /** Times that it started over for another reason. */
    public int restarts()
    {
        return restarts;
    }

    public int pauses()
    {
        return pauses;
    }
}
