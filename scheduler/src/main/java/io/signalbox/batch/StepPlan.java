// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import java.util.Arrays;

/**
 * The plan of one step of one rank: its entries, the layout that attributes routed-expert rows, and the changes of block
 * tables that precede it. The {@link BatchPlanner} fills it. It is kept until the step completes, then reused.
 */
public final class StepPlan
{
    private long step;
    private int tokens;

    // Entries in batch order.
    private int entryCount;
    private Request[] entryRequests = new Request[16];
    private int[] entryStarts = new int[16];
    private int[] entryTokens = new int[16];

    // Layout: consecutive tokens of one entry in one block, in batch order.
    private int spanCount;
    private int[] spanBlocks = new int[16];
    private int[] spanIssues = new int[16];
    private int[] spanOffsets = new int[16];
    private int[] spanTokens = new int[16];
    private int[] entrySpanEnds = new int[16];

    // Changes, in the order in which they were made.
    private final RequestQueue preempted = new RequestQueue();
    private int[] preemptedBlocks = new int[4];
    private final RequestQueue admitted = new RequestQueue();
    private int[] matchedBlocks = new int[4];
    private boolean[] resumed = new boolean[4];
    private int changeCount;
    private Request[] changeRequests = new Request[16];
    private int[] changeIndexes = new int[16];
    private int[] changeBlocks = new int[16];
    private int[] changeIssues = new int[16];
    private boolean[] changeMatched = new boolean[16];
    private int pendingCount;
    private int[] pendingBlocks = new int[16];
    private long[] pendingHashes = new long[16];
    private int evictedCount;
    private int[] evictedBlocks = new int[16];
    private long[] evictedHashes = new long[16];

    /** Removes every entry and change: the plan of a rank that takes part in a step of the others without work. */
    public void clear()
    {
        tokens = 0;
        Arrays.fill(entryRequests, 0, entryCount, null);
        entryCount = 0;
        spanCount = 0;
        while (!preempted.isEmpty())
        {
            preempted.removeLast();
        }
        while (!admitted.isEmpty())
        {
            admitted.removeLast();
        }
        Arrays.fill(changeRequests, 0, changeCount, null);
        changeCount = 0;
        pendingCount = 0;
        evictedCount = 0;
    }

    public void number(final long stepNumber)
    {
        step = stepNumber;
    }

    /** Step number from 1; counted per rank, or over all ranks if they step together. */
    public long step()
    {
        return step;
    }

    /** Tokens of all entries. */
    public int tokens()
    {
        return tokens;
    }

    void addEntry(final Request request, final int start, final int count)
    {
        if (entryCount == entryRequests.length)
        {
            final int capacity = 2 * entryCount;
            entryRequests = Arrays.copyOf(entryRequests, capacity);
            entryStarts = Arrays.copyOf(entryStarts, capacity);
            entryTokens = Arrays.copyOf(entryTokens, capacity);
            entrySpanEnds = Arrays.copyOf(entrySpanEnds, capacity);
        }
        entryRequests[entryCount] = request;
        entryStarts[entryCount] = start;
        entryTokens[entryCount] = count;
        entrySpanEnds[entryCount] = spanCount;
        entryCount++;
        tokens += count;
    }

    /** Adds a span to the entry that was added last. */
    void addSpan(final int blockId, final int issue, final int offset, final int count)
    {
        if (spanCount == spanBlocks.length)
        {
            final int capacity = 2 * spanCount;
            spanBlocks = Arrays.copyOf(spanBlocks, capacity);
            spanIssues = Arrays.copyOf(spanIssues, capacity);
            spanOffsets = Arrays.copyOf(spanOffsets, capacity);
            spanTokens = Arrays.copyOf(spanTokens, capacity);
        }
        spanBlocks[spanCount] = blockId;
        spanIssues[spanCount] = issue;
        spanOffsets[spanCount] = offset;
        spanTokens[spanCount] = count;
        entrySpanEnds[entryCount - 1] = ++spanCount;
    }

    void addPreempted(final Request request, final int releasedBlocks)
    {
        final int index = preempted.size();
        preemptedBlocks = index == preemptedBlocks.length ? Arrays.copyOf(preemptedBlocks, 2 * index) : preemptedBlocks;
        preempted.addLast(request);
        preemptedBlocks[index] = releasedBlocks;
    }

    void addAdmitted(final Request request, final int matched, final boolean isResumed)
    {
        final int index = admitted.size();
        if (index == matchedBlocks.length)
        {
            matchedBlocks = Arrays.copyOf(matchedBlocks, 2 * index);
            resumed = Arrays.copyOf(resumed, 2 * index);
        }
        admitted.addLast(request);
        matchedBlocks[index] = matched;
        resumed[index] = isResumed;
    }

    void addTableChange(
        final Request request, final int index, final int blockId, final int issue, final boolean isMatched)
    {
        if (changeCount == changeRequests.length)
        {
            final int capacity = 2 * changeCount;
            changeRequests = Arrays.copyOf(changeRequests, capacity);
            changeIndexes = Arrays.copyOf(changeIndexes, capacity);
            changeBlocks = Arrays.copyOf(changeBlocks, capacity);
            changeIssues = Arrays.copyOf(changeIssues, capacity);
            changeMatched = Arrays.copyOf(changeMatched, capacity);
        }
        changeRequests[changeCount] = request;
        changeIndexes[changeCount] = index;
        changeBlocks[changeCount] = blockId;
        changeIssues[changeCount] = issue;
        changeMatched[changeCount++] = isMatched;
    }

    void addPending(final int blockId, final long blockHash)
    {
        if (pendingCount == pendingBlocks.length)
        {
            pendingBlocks = Arrays.copyOf(pendingBlocks, 2 * pendingCount);
            pendingHashes = Arrays.copyOf(pendingHashes, 2 * pendingCount);
        }
        pendingBlocks[pendingCount] = blockId;
        pendingHashes[pendingCount++] = blockHash;
    }

    void addEvicted(final int blockId, final long blockHash)
    {
        if (evictedCount == evictedBlocks.length)
        {
            evictedBlocks = Arrays.copyOf(evictedBlocks, 2 * evictedCount);
            evictedHashes = Arrays.copyOf(evictedHashes, 2 * evictedCount);
        }
        evictedBlocks[evictedCount] = blockId;
        evictedHashes[evictedCount++] = blockHash;
    }

    public int entryCount()
    {
        return entryCount;
    }

    public Request entryRequest(final int entry)
    {
        return entryRequests[entry];
    }

    /** Position of the entry's first token in its request. */
    public int entryStart(final int entry)
    {
        return entryStarts[entry];
    }

    public int entryTokens(final int entry)
    {
        return entryTokens[entry];
    }

    int firstSpan(final int entry)
    {
        return entry == 0 ? 0 : entrySpanEnds[entry - 1];
    }

    int endSpan(final int entry)
    {
        return entrySpanEnds[entry];
    }

    public int spanCount()
    {
        return spanCount;
    }

    public int spanBlock(final int span)
    {
        return spanBlocks[span];
    }

    public int spanIssue(final int span)
    {
        return spanIssues[span];
    }

    /** First token of the block that the span covers. */
    public int spanOffset(final int span)
    {
        return spanOffsets[span];
    }

    public int spanTokens(final int span)
    {
        return spanTokens[span];
    }

    public int preemptedCount()
    {
        return preempted.size();
    }

    public Request preempted(final int index)
    {
        return preempted.get(index);
    }

    public int preemptedBlocks(final int index)
    {
        return preemptedBlocks[index];
    }

    public int admittedCount()
    {
        return admitted.size();
    }

    public Request admitted(final int index)
    {
        return admitted.get(index);
    }

    public int matchedBlocks(final int index)
    {
        return matchedBlocks[index];
    }

    public boolean resumed(final int index)
    {
        return resumed[index];
    }

    public int changeCount()
    {
        return changeCount;
    }

    public Request changeRequest(final int index)
    {
        return changeRequests[index];
    }

    public int changeIndex(final int index)
    {
        return changeIndexes[index];
    }

    public int changeBlock(final int index)
    {
        return changeBlocks[index];
    }

    public int changeIssue(final int index)
    {
        return changeIssues[index];
    }

    public boolean changeMatched(final int index)
    {
        return changeMatched[index];
    }

    public int pendingCount()
    {
        return pendingCount;
    }

    public int pendingBlock(final int index)
    {
        return pendingBlocks[index];
    }

    public long pendingHash(final int index)
    {
        return pendingHashes[index];
    }

    /** Cached blocks that were evicted for the step, in the order of eviction. */
    public int evictedCount()
    {
        return evictedCount;
    }

    public int evictedBlock(final int index)
    {
        return evictedBlocks[index];
    }

    public long evictedHash(final int index)
    {
        return evictedHashes[index];
    }
}
