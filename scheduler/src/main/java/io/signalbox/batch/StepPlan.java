// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.event.codec.TableChangeKind;

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
    private long[] entryIds = new long[16];
    private long[] entryResidencies = new long[16];
    private int[] entryStarts = new int[16];
    private int[] entrySlacks = new int[16];
    private int[] entryTokens = new int[16];
    private int[] entryEnds = new int[16];
    private int[] entryDrafts = new int[16];
    private int[] entryPredecessorBacks = new int[16];
    private int[] entryPredecessorEntries = new int[16];
    private boolean[] entrySamples = new boolean[16];

    // Layout: the blocks of each entry's possible positions, in batch order.
    private int sliceLength;
    private int[] sliceBlocks = new int[16];
    private int[] sliceIssues = new int[16];
    private int[] entrySliceEnds = new int[16];

    // Changes, in the order in which they were made.
    private final RequestQueue admitted = new RequestQueue();
    private int[] matchedBlocks = new int[4];
    private boolean[] resumed = new boolean[4];
    private int changeCount;
    private Request[] changeRequests = new Request[16];
    private int[] changeIndexes = new int[16];
    private int[] changeBlocks = new int[16];
    private int[] changeIssues = new int[16];
    private TableChangeKind[] changeKinds = new TableChangeKind[16];
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
        sliceLength = 0;
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

    /**
     * Adds an entry. Its first token comes from the host.
     *
     * @param start   position of the first token.
     * @param samples whether it samples a token behind the last one.
     */
    void addEntry(final Request request, final int start, final int count, final boolean samples)
    {
        growEntries();
        entryStarts[entryCount] = start;
        entrySlacks[entryCount] = 0;
        entryTokens[entryCount] = count;
        entryEnds[entryCount] = start + count;
        entryDrafts[entryCount] = 0;
        entryPredecessorBacks[entryCount] = 0;
        entryPredecessorEntries[entryCount] = 0;
        entrySamples[entryCount] = samples;
        appendEntry(request);
    }

    /**
     * Adds an entry whose first token the device holds, and whose start it may know alone. It samples.
     *
     * @param lowest  position at which it starts at the earliest.
     * @param highest position at which it starts at the latest.
     * @param end     no position at or above it is computed.
     */
    void addLateEntry(final Request request, final int lowest, final int highest, final int drafts, final int end)
    {
        growEntries();
        entryStarts[entryCount] = lowest;
        entrySlacks[entryCount] = highest - lowest;
        entryTokens[entryCount] = 1 + drafts;
        entryEnds[entryCount] = end;
        entryDrafts[entryCount] = drafts;
        entryPredecessorBacks[entryCount] = (int)(step - request.residency.sampledInStep());
        entryPredecessorEntries[entryCount] = request.residency.sampledInEntry();
        entrySamples[entryCount] = true;
        appendEntry(request);
    }

    private void appendEntry(final Request request)
    {
        entryRequests[entryCount] = request;
        entryIds[entryCount] = request.id();
        entryResidencies[entryCount] = request.residency.number();
        entrySliceEnds[entryCount] = sliceLength;
        tokens += entryTokens[entryCount];
        entryCount++;
    }

    private void growEntries()
    {
        if (entryCount == entryRequests.length)
        {
            final int capacity = 2 * entryCount;
            entryRequests = Arrays.copyOf(entryRequests, capacity);
            entryIds = Arrays.copyOf(entryIds, capacity);
            entryResidencies = Arrays.copyOf(entryResidencies, capacity);
            entryStarts = Arrays.copyOf(entryStarts, capacity);
            entrySlacks = Arrays.copyOf(entrySlacks, capacity);
            entryTokens = Arrays.copyOf(entryTokens, capacity);
            entryEnds = Arrays.copyOf(entryEnds, capacity);
            entryDrafts = Arrays.copyOf(entryDrafts, capacity);
            entryPredecessorBacks = Arrays.copyOf(entryPredecessorBacks, capacity);
            entryPredecessorEntries = Arrays.copyOf(entryPredecessorEntries, capacity);
            entrySamples = Arrays.copyOf(entrySamples, capacity);
            entrySliceEnds = Arrays.copyOf(entrySliceEnds, capacity);
        }
    }

    /** Adds the next block to the layout of the entry that was added last. */
    void addBlock(final int blockId, final int issue)
    {
        if (sliceLength == sliceBlocks.length)
        {
            sliceBlocks = Arrays.copyOf(sliceBlocks, 2 * sliceLength);
            sliceIssues = Arrays.copyOf(sliceIssues, 2 * sliceLength);
        }
        sliceBlocks[sliceLength] = blockId;
        sliceIssues[sliceLength] = issue;
        entrySliceEnds[entryCount - 1] = ++sliceLength;
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
        final Request request, final int index, final int blockId, final int issue, final TableChangeKind kind)
    {
        if (changeCount == changeRequests.length)
        {
            final int capacity = 2 * changeCount;
            changeRequests = Arrays.copyOf(changeRequests, capacity);
            changeIndexes = Arrays.copyOf(changeIndexes, capacity);
            changeBlocks = Arrays.copyOf(changeBlocks, capacity);
            changeIssues = Arrays.copyOf(changeIssues, capacity);
            changeKinds = Arrays.copyOf(changeKinds, capacity);
        }
        changeRequests[changeCount] = request;
        changeIndexes[changeCount] = index;
        changeBlocks[changeCount] = blockId;
        changeIssues[changeCount] = issue;
        changeKinds[changeCount++] = kind;
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

    /** The entry's request, if {@link #isOwned}; else another request may use the object. */
    public Request entryRequest(final int entry)
    {
        return entryRequests[entry];
    }

    public long entryRequestId(final int entry)
    {
        return entryIds[entry];
    }

    /** Whether the entry's request has been running without interruption since the step was planned. */
    public boolean isOwned(final int entry)
    {
        return entryRequests[entry].residency.number() == entryResidencies[entry];
    }

    /** Lowest possible position of the entry's first token in its request. */
    public int entryStart(final int entry)
    {
        return entryStarts[entry];
    }

    /** The first token is at most that far behind {@link #entryStart}. */
    public int entrySlack(final int entry)
    {
        return entrySlacks[entry];
    }

    /** Tokens that the entry feeds, draft tokens included. */
    public int entryTokens(final int entry)
    {
        return entryTokens[entry];
    }

    /** No position of the request at or above it is computed. */
    public int entryEnd(final int entry)
    {
        return entryEnds[entry];
    }

    public int entryDrafts(final int entry)
    {
        return entryDrafts[entry];
    }

    /** Whether the device holds the first token and decides by how many tokens the request advances. */
    public boolean isLateBound(final int entry)
    {
        return entryPredecessorBacks[entry] > 0;
    }

    public int predecessorBack(final int entry)
    {
        return entryPredecessorBacks[entry];
    }

    public int predecessorEntry(final int entry)
    {
        return entryPredecessorEntries[entry];
    }

    public boolean samples(final int entry)
    {
        return entrySamples[entry];
    }

    /** Index in the layout of the entry's first block, the one that holds {@link #entryStart}. */
    int firstBlock(final int entry)
    {
        return entry == 0 ? 0 : entrySliceEnds[entry - 1];
    }

    int blockAt(final int index)
    {
        return sliceBlocks[index];
    }

    int issueAt(final int index)
    {
        return sliceIssues[index];
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

    public TableChangeKind changeKind(final int index)
    {
        return changeKinds[index];
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
