// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

import java.util.Arrays;

/** One request that has not ended, or whose rows its client has not taken. */
public final class RequestState
{
    /** Stage of a request, as in the scheduler. */
    public enum Stage
    {
        /** Accepted, not placed on a rank. */
        QUEUED,
        /** Placed on a rank, without KV blocks. */
        PLACED,
        /** Has KV blocks, and takes part in steps unless it is paused. */
        RUNNING,
        /** Ended; its rows wait for the client. */
        FINISHED
    }

    static final int NO_RANK = -1;
    private static final int[] NO_BLOCKS = {};

    final long id;
    final long conversationId;
    final long submitNanos;
    final int priority;
    final int promptTokens;
    final int maxNewTokens;
    final boolean wantsRows;
    Stage stage = Stage.QUEUED;
    int rank = NO_RANK;
    int generatedTokens;
    int computedTokens;
    int preemptions;
    boolean cancelled;
    boolean paused;
    /** Number of the admission on its rank; 0: it does not run. */
    long admission;
    /** Of a request that waits again on the rank on which it ran: its former admission; else 0. */
    long former;
    /** Logical time since which it is in its stage. */
    long sinceNanos;
    int blockCount;
    int[] blocks = NO_BLOCKS;

    RequestState(
        final long id,
        final long conversationId,
        final long submitNanos,
        final int priority,
        final int promptTokens,
        final int maxNewTokens,
        final boolean wantsRows)
    {
        this.id = id;
        this.conversationId = conversationId;
        this.submitNanos = submitNanos;
        this.priority = priority;
        this.promptTokens = promptTokens;
        this.maxNewTokens = maxNewTokens;
        this.wantsRows = wantsRows;
        sinceNanos = submitNanos;
    }

    public long id()
    {
        return id;
    }

    /** -1: none. */
    public long conversationId()
    {
        return conversationId;
    }

    /** Logical time of its Submit. */
    public long submitNanos()
    {
        return submitNanos;
    }

    /** Logical time since which it is in its stage. */
    public long sinceNanos()
    {
        return sinceNanos;
    }

    public Stage stage()
    {
        return stage;
    }

    /** -1: not placed. */
    public int rank()
    {
        return rank;
    }

    public int priority()
    {
        return priority;
    }

    public int promptTokens()
    {
        return promptTokens;
    }

    public int maxNewTokens()
    {
        return maxNewTokens;
    }

    public int generatedTokens()
    {
        return generatedTokens;
    }

    /** Tokens in KV blocks of this stay, matched ones included. */
    public int computedTokens()
    {
        return computedTokens;
    }

    public int preemptions()
    {
        return preemptions;
    }

    /** Whether its client gave up; it ends when no step in flight computes it. */
    public boolean isCancelled()
    {
        return cancelled;
    }

    public boolean isPaused()
    {
        return paused;
    }

    public int blockCount()
    {
        return blockCount;
    }

    public int block(final int index)
    {
        return blocks[index];
    }

    void addBlock(final int block)
    {
        if (blockCount == blocks.length)
        {
            blocks = Arrays.copyOf(blocks, Math.max(8, 2 * blockCount));
        }
        blocks[blockCount++] = block;
    }

    void moveTo(final Stage next, final long nowNanos)
    {
        stage = next;
        sinceNanos = nowNanos;
    }

    /** Whether it waits again, and was admitted before the other one. */
    boolean wasAheadOf(final RequestState other)
    {
        return former != 0 && former < other.former;
    }
}
