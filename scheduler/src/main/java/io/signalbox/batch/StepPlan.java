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
    // Words of an entry.
    private static final int WORDS_LOG2 = 3;
    private static final int START = 0;
    private static final int SLACK = 1;
    private static final int TOKENS = 2;
    private static final int END = 3;
    private static final int PREDECESSOR_ENTRY = 4;
    /** Steps back to the predecessor, whether the entry samples, and draft tokens. */
    private static final int SOURCE = 5;
    /** Tokens that the entry accepts in any case, or {@link #UNCERTAIN}. */
    private static final int SURELY_ACCEPTED = 6;
    private static final int SLICE_END = 7;
    private static final int SAMPLES = 1 << 8;
    private static final int DRAFTS_SHIFT = 16;
    private static final int UNCERTAIN = -1;

    private long step;
    private int weightGeneration;
    private int tokens;

    // Entries in batch order: each step writes and reads all of them, so that an entry is a run of adjacent words.
    private int entryCount;
    private Request[] entryRequests = new Request[16];
    /** Request id and residency per entry. */
    private long[] entryOwners = new long[2 * 16];
    private int[] entryWords = new int[16 << WORDS_LOG2];

    // Layout: the blocks of each entry's possible positions, in batch order.
    private int sliceLength;
    private int[] sliceBlocks = new int[16];
    private int[] sliceIssues = new int[16];

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
    private final BlockCopies copies = new BlockCopies();

    /** Removes every entry and change: the plan of a rank that takes part in a step of the others without work. */
    public void clear()
    {
        tokens = 0;
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
        copies.clear();
    }

    /** Copies of KV content that precede the step. */
    public BlockCopies copies()
    {
        return copies;
    }

    /** @param weights generation of the weights that compute the step. */
    public void number(final long stepNumber, final int weights)
    {
        step = stepNumber;
        weightGeneration = weights;
    }

    /** The weights that compute the step; 0: those with which the run began. */
    public int weightGeneration()
    {
        return weightGeneration;
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
        final int at = appendEntry(request, start, 0, count, start + count);
        entryWords[at + PREDECESSOR_ENTRY] = 0;
        entryWords[at + SOURCE] = samples ? SAMPLES : 0;
        entryWords[at + SURELY_ACCEPTED] = samples ? 1 : 0;
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
        final int at = appendEntry(request, lowest, highest - lowest, 1 + drafts, end);
        entryWords[at + PREDECESSOR_ENTRY] = request.residency.sampledInEntry();
        entryWords[at + SOURCE] = drafts << DRAFTS_SHIFT | source(request);
        entryWords[at + SURELY_ACCEPTED] = drafts == 0 && lowest == highest ? 1 : UNCERTAIN;
    }

    /** Adds an entry that feeds one token, at a certain position within the last block of its request, and samples. */
    void addSteady(final Request request, final int position, final boolean isOnDevice)
    {
        final int at = appendEntry(request, position, 0, 1, position + 1);
        entryWords[at + PREDECESSOR_ENTRY] = isOnDevice ? request.residency.sampledInEntry() : 0;
        entryWords[at + SOURCE] = isOnDevice ? source(request) : SAMPLES;
        entryWords[at + SURELY_ACCEPTED] = 1;
        addBlock(request.lastBlock, request.lastIssue);
    }

    /** Of an entry whose first token another one samples. */
    private int source(final Request request)
    {
        return (int)(step - request.residency.sampledInStep()) | SAMPLES;
    }

    /** Returns the position of the entry's words. */
    private int appendEntry(final Request request, final int start, final int slack, final int count, final int end)
    {
        if (entryCount == entryRequests.length)
        {
            growEntries();
        }
        if (entryRequests[entryCount] != request)
        {
            // Mostly it is there from an earlier step, and storing a reference costs a barrier of the collector.
            entryRequests[entryCount] = request;
        }
        entryOwners[2 * entryCount] = request.id();
        entryOwners[2 * entryCount + 1] = request.residency.number();
        final int at = entryCount++ << WORDS_LOG2;
        entryWords[at + START] = start;
        entryWords[at + SLACK] = slack;
        entryWords[at + TOKENS] = count;
        entryWords[at + END] = end;
        entryWords[at + SLICE_END] = sliceLength;
        tokens += count;
        return at;
    }

    private void growEntries()
    {
        entryRequests = Arrays.copyOf(entryRequests, 2 * entryCount);
        entryOwners = Arrays.copyOf(entryOwners, 2 * entryOwners.length);
        entryWords = Arrays.copyOf(entryWords, 2 * entryWords.length);
    }

    private int word(final int entry, final int property)
    {
        return entryWords[(entry << WORDS_LOG2) + property];
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
        entryWords[(entryCount - 1 << WORDS_LOG2) + SLICE_END] = ++sliceLength;
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
        return entryOwners[2 * entry];
    }

    /** Whether the entry's request has been running without interruption since the step was planned. */
    public boolean isOwned(final int entry)
    {
        return entryRequests[entry].residency.number() == entryOwners[2 * entry + 1];
    }

    /** Lowest possible position of the entry's first token in its request. */
    public int entryStart(final int entry)
    {
        return word(entry, START);
    }

    /** The first token is at most that far behind {@link #entryStart}. */
    public int entrySlack(final int entry)
    {
        return word(entry, SLACK);
    }

    /** Tokens that the entry feeds, draft tokens included. */
    public int entryTokens(final int entry)
    {
        return word(entry, TOKENS);
    }

    /** No position of the request at or above it is computed. */
    public int entryEnd(final int entry)
    {
        return word(entry, END);
    }

    public int entryDrafts(final int entry)
    {
        return word(entry, SOURCE) >>> DRAFTS_SHIFT;
    }

    /** Whether the device holds the first token and decides by how many tokens the request advances. */
    public boolean isLateBound(final int entry)
    {
        return predecessorBack(entry) > 0;
    }

    public int predecessorBack(final int entry)
    {
        return word(entry, SOURCE) & SAMPLES - 1;
    }

    public int predecessorEntry(final int entry)
    {
        return word(entry, PREDECESSOR_ENTRY);
    }

    public boolean samples(final int entry)
    {
        return (word(entry, SOURCE) & SAMPLES) != 0;
    }

    /** Whether the entry feeds one token at a certain position, and accepts one. */
    boolean isSteady(final int entry)
    {
        final int at = entry << WORDS_LOG2;
        return entryWords[at + SURELY_ACCEPTED] == 1 && entryWords[at + TOKENS] == 1;
    }

    /** Whether the report of the entry is this one, and no other one can be true. */
    boolean isForegone(final int entry, final int start, final int accepted)
    {
        final int at = entry << WORDS_LOG2;
        return entryWords[at + START] == start && entryWords[at + SURELY_ACCEPTED] == accepted;
    }

    /** Index in the layout of the entry's first block, the one that holds {@link #entryStart}. */
    int firstBlock(final int entry)
    {
        return entry == 0 ? 0 : word(entry - 1, SLICE_END);
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
