// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.event.PlannedStep;
import io.signalbox.event.ScheduleWords;
import io.signalbox.event.codec.TableChangeKind;
import io.signalbox.saved.SavedFields;

import java.util.Arrays;

/**
 * The plan of one step of one rank: its entries, the layout that attributes routed-expert rows, and the changes of block
 * tables that precede it. The {@link BatchPlanner} fills it. It is kept until the step completes, then reused.
 */
public final class StepPlan implements PlannedStep
{
    /**
     * Words of an entry: {@link ScheduleWords}, more in the free bits of the last of them, and one word.
     * <pre>
     *   3   after the kind: surely accepted tokens (8 bits), end of its blocks in the layout (32)
     *   4   number of the request's stay
     * </pre>
     */
    private static final int ENTRY_WORDS = 5;
    private static final int RANGE = 1;
    private static final int SOURCE = 2;
    private static final int KIND = 3;
    private static final int OWNER = 4;
    private static final long LOW = 0xFFFF_FFFFL;
    private static final int SURELY_SHIFT = ScheduleWords.KIND_BITS;
    private static final int KIND_MASK = (1 << SURELY_SHIFT) - 1;
    private static final int UNCERTAIN = -1;
    private long step;
    private int weightGeneration;
    private int tokens;

    // Entries in batch order: each step writes and reads all of them, so that an entry is a run of adjacent words.
    private int entryCount;
    private Request[] entryRequests = new Request[16];
    private long[] entryWords = new long[16 * ENTRY_WORDS];

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
    }

    /** @param weights generation of the weights that compute the step. */
    public void number(final long stepNumber, final int weights)
    {
        step = stepNumber;
        weightGeneration = weights;
    }

    /** The weights that compute the step; 0: those with which the run began. */
    @Override
    public int weightGeneration()
    {
        return weightGeneration;
    }

    /** Step number from 1; counted per rank, or over all ranks if they step together. */
    @Override
    public long step()
    {
        return step;
    }

    /** Tokens of all entries. */
    @Override
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
        append(request, start, count, 0, ScheduleWords.kind(0, 0, samples) | (samples ? 1 << SURELY_SHIFT : 0));
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
        final int slack = highest - lowest;
        final int surely = drafts == 0 && slack == 0 ? 1 : UNCERTAIN;
        append(request, lowest, 1 + drafts,
            ScheduleWords.source(request.sampledInEntry(), slack, highest + 1 + drafts - end),
            ScheduleWords.kind(stepsBack(request), drafts, true) | surely << SURELY_SHIFT);
    }

    /** Makes room for so many entries of one block each. */
    void ensureEntries(final int count)
    {
        while (entryCount + count > entryRequests.length)
        {
            growEntries();
        }
        while (sliceLength + count > sliceBlocks.length)
        {
            ensureSlice(sliceBlocks.length);
        }
    }

    /**
     * Adds an entry that feeds one token, at a certain position within the last block of its request, and samples. There is
     * {@linkplain #ensureEntries room} for it.
     */
    void addSteady(final Request request, final int position, final boolean isOnDevice)
    {
        final int block = sliceLength;
        sliceBlocks[block] = request.lastBlock;
        sliceIssues[block] = request.lastIssue;
        // Behind the block, so that it is the end of the entry's blocks.
        sliceLength = block + 1;
        put(request, position, 1, isOnDevice ? ScheduleWords.source(request.sampledInEntry(), 0, 0) : 0,
            ScheduleWords.kind(isOnDevice ? stepsBack(request) : 0, 0, true) | 1 << SURELY_SHIFT);
    }

    /** How many steps before this one the first token was sampled. */
    private int stepsBack(final Request request)
    {
        return (int)(step - request.sampledInStep());
    }

    private void append(
        final Request request, final int start, final int count, final long source, final int kind)
    {
        if (entryCount == entryRequests.length)
        {
            growEntries();
        }
        put(request, start, count, source, kind);
    }

    private void put(
        final Request request, final int start, final int count, final long source, final int kind)
    {
        final int entry = entryCount;
        if (entryRequests[entry] != request)
        {
            // Mostly it is there from an earlier step, and storing a reference costs a barrier of the collector.
            entryRequests[entry] = request;
        }
        final long[] words = entryWords;
        final int at = entry * ENTRY_WORDS;
        words[at] = request.id();
        words[at + RANGE] = ScheduleWords.range(start, count);
        words[at + SOURCE] = source;
        words[at + KIND] = kind & LOW | (long)sliceLength << Integer.SIZE;
        words[at + OWNER] = request.stay();
        entryCount = entry + 1;
        tokens += count;
    }

    private void growEntries()
    {
        entryRequests = Arrays.copyOf(entryRequests, 2 * entryRequests.length);
        entryWords = Arrays.copyOf(entryWords, 2 * entryWords.length);
    }

    private long word(final int entry, final int word)
    {
        return entryWords[entry * ENTRY_WORDS + word];
    }

    private int kind(final int entry)
    {
        return (int)word(entry, KIND);
    }

    @Override
    public long[] entryWords()
    {
        return entryWords;
    }

    @Override
    public int entryStride()
    {
        return ENTRY_WORDS;
    }

    /** Adds the next block to the layout of the entry that was added last. */
    void addBlock(final int blockId, final int issue)
    {
        ensureSlice(sliceLength);
        sliceBlocks[sliceLength] = blockId;
        sliceIssues[sliceLength] = issue;
        final int at = (entryCount - 1) * ENTRY_WORDS + KIND;
        entryWords[at] = entryWords[at] & LOW | (long)++sliceLength << Integer.SIZE;
    }

    private void ensureSlice(final int index)
    {
        if (index == sliceBlocks.length)
        {
            sliceBlocks = Arrays.copyOf(sliceBlocks, 2 * index);
            sliceIssues = Arrays.copyOf(sliceIssues, 2 * index);
        }
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

    /**
     * Saves a step in flight, or restores one: what its commit needs. Changes of tables, which its {@code Schedule} has, are
     * not saved.
     */
    public void save(final SavedFields fields, final RequestPlaces requests)
    {
        step = fields.number(step);
        weightGeneration = fields.int32(weightGeneration);
        tokens = fields.int32(tokens);
        sliceLength = fields.count(sliceLength);
        sliceBlocks = fields.int32s(sliceBlocks, sliceLength);
        sliceIssues = fields.int32s(sliceIssues, sliceLength);
        pendingCount = fields.count(pendingCount);
        pendingHashes = fields.numbers(pendingHashes, pendingCount);
        pendingBlocks = pendingBlocks.length < pendingCount ? new int[pendingCount] : pendingBlocks;
        final int count = fields.count(entryCount);
        final Request nobody = new Request(null);
        while (fields.isReading() && entryRequests.length < count)
        {
            growEntries();
        }
        for (int entry = 0; entry < count; entry++)
        {
            final Request owner = requests.save(fields, entry < entryCount && isOwned(entry) ? entryRequest(entry) : null);
            saveEntry(fields, entry);
            if (fields.isReading())
            {
                entryRequests[entry] = owner == null ? nobody : owner;
                entryCount = entry + 1;
            }
        }
    }

    private void saveEntry(final SavedFields fields, final int entry)
    {
        final int at = entry * ENTRY_WORDS;
        entryWords[at] = fields.number(entryWords[at]);
        entryWords[at + RANGE] = fields.number(entryWords[at + RANGE]);
        entryWords[at + SOURCE] = fields.number(entryWords[at + SOURCE]);
        final int kind = fields.int32(kind(entry) & KIND_MASK);
        final int surely = fields.int32(kind(entry) >> SURELY_SHIFT);
        final long end = fields.int32((int)(word(entry, KIND) >>> Integer.SIZE), 0, sliceLength);
        entryWords[at + KIND] = (kind | surely << SURELY_SHIFT) & LOW | end << Integer.SIZE;
        entryWords[at + OWNER] = fields.number(entryWords[at + OWNER]);
    }

    @Override
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
        return entryWords[entry * ENTRY_WORDS];
    }

    /** Whether the entry's request has been running without interruption since the step was planned. */
    public boolean isOwned(final int entry)
    {
        return entryRequests[entry].stay() == entryWords[entry * ENTRY_WORDS + OWNER];
    }

    /** Lowest possible position of the entry's first token in its request. */
    public int entryStart(final int entry)
    {
        return ScheduleWords.start(word(entry, RANGE));
    }

    /** The first token is at most that far behind {@link #entryStart}. */
    public int entrySlack(final int entry)
    {
        return ScheduleWords.slack(word(entry, SOURCE));
    }

    /** Tokens that the entry feeds, draft tokens included. */
    public int entryTokens(final int entry)
    {
        return ScheduleWords.tokenCount(word(entry, RANGE));
    }

    /** No position of the request at or above it is computed. */
    public int entryEnd(final int entry)
    {
        return entryStart(entry) + entrySlack(entry) + entryTokens(entry) - ScheduleWords.clip(word(entry, SOURCE));
    }

    /** Whether the device holds the first token and decides by how many tokens the request advances. */
    public boolean isLateBound(final int entry)
    {
        return predecessorBack(entry) > 0;
    }

    public int predecessorBack(final int entry)
    {
        return ScheduleWords.predecessorBack(kind(entry));
    }

    public int predecessorEntry(final int entry)
    {
        return ScheduleWords.predecessorEntry(word(entry, SOURCE));
    }

    public boolean samples(final int entry)
    {
        return ScheduleWords.samples(kind(entry));
    }

    /** Whether the entry feeds one token at a certain position, and accepts one. */
    boolean isSteady(final int entry)
    {
        return kind(entry) >> SURELY_SHIFT == 1 && entryTokens(entry) == 1;
    }

    /** Whether the report of the entry is this one, and no other one can be true. */
    boolean isForegone(final int entry, final int start, final int accepted)
    {
        return entryStart(entry) == start && kind(entry) >> SURELY_SHIFT == accepted;
    }

    /** Index in the layout of the entry's first block, the one that holds {@link #entryStart}. */
    int firstBlock(final int entry)
    {
        return entry == 0 ? 0 : (int)(word(entry - 1, KIND) >>> Integer.SIZE);
    }

    int blockAt(final int index)
    {
        return sliceBlocks[index];
    }

    int issueAt(final int index)
    {
        return sliceIssues[index];
    }

    /** Whether the block at this index is the last one of the request, which then holds it in the issue of the layout. */
    boolean isLastBlock(final int index, final Request request)
    {
        return sliceBlocks[index] == request.lastBlock && sliceIssues[index] == request.lastIssue;
    }

    @Override
    public int admittedCount()
    {
        return admitted.size();
    }

    public Request admitted(final int index)
    {
        return admitted.get(index);
    }

    @Override
    public long admittedRequestId(final int index)
    {
        return admitted.get(index).id();
    }

    @Override
    public int matchedBlocks(final int index)
    {
        return matchedBlocks[index];
    }

    @Override
    public boolean resumed(final int index)
    {
        return resumed[index];
    }

    @Override
    public int changeCount()
    {
        return changeCount;
    }

    public Request changeRequest(final int index)
    {
        return changeRequests[index];
    }

    @Override
    public long changeRequestId(final int index)
    {
        return changeRequests[index].id();
    }

    @Override
    public int changeIndex(final int index)
    {
        return changeIndexes[index];
    }

    @Override
    public int changeBlock(final int index)
    {
        return changeBlocks[index];
    }

    @Override
    public int changeIssue(final int index)
    {
        return changeIssues[index];
    }

    @Override
    public TableChangeKind changeKind(final int index)
    {
        return changeKinds[index];
    }

    @Override
    public int pendingCount()
    {
        return pendingCount;
    }

    @Override
    public int pendingBlock(final int index)
    {
        return pendingBlocks[index];
    }

    @Override
    public long pendingHash(final int index)
    {
        return pendingHashes[index];
    }

    /** Cached blocks that were evicted for the step, in the order of eviction. */
    @Override
    public int evictedCount()
    {
        return evictedCount;
    }

    @Override
    public int evictedBlock(final int index)
    {
        return evictedBlocks[index];
    }

    @Override
    public long evictedHash(final int index)
    {
        return evictedHashes[index];
    }
}
