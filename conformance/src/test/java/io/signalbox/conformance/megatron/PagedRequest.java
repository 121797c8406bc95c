// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A request of a {@link MegatronPlanner}: its tokens, its KV blocks, its place in the current step, and its
 * routed-expert rows. While it lives it belongs to the planner; once it is reported as finished, the receiver reads
 * tokens and rows, which no later step touches, and gives it back with {@link MegatronPlanner#recycle}.
 */
public final class PagedRequest
{
    /** Instead of a stop token: the request ends by its length alone, whatever is sampled. */
    public static final int NO_STOP_TOKEN = -1;

    /** Per entry of the block table the rows of its block by position, which the block may have lost since. */
    private final List<int[][]> rowsOfEntries = new ArrayList<>();
    private long id;
    private int stopToken;
    /** Prompt and tokens to generate: the length at which the request ends. */
    int outputLength;
    private int[] tokens = new int[16];
    int knownTokens;
    /** Tokens that prefill has to compute: the prompt, and after an eviction what had been generated as well. */
    int promptTokens;
    /** Of these, how many belong to chunks that were admitted. */
    int admittedTokens;
    long[] blockHashes = new long[16];
    int hashCount;
    int cachedTokens;
    private int segments;

    /** Position of the first token fed in this step; after {@link MegatronPlanner#verify} less the rejected ones. */
    int kvOffset;
    int queryTokens;
    int rejectedTokens;
    /** Index in its block of the last token that is fed by the end of this step. */
    int lastOffset;
    boolean prefill;
    final int[] draftTokens;
    int[] blockTable = new int[16];
    int blockCount;
    private boolean ended;
    /** Set and cleared within one pass over the rows. */
    boolean marked;
    /** Index of the row's first token in the layout of the step. */
    int layoutStart;

    PagedRequest(final int draftTokens)
    {
        this.draftTokens = new int[draftTokens];
    }

    PagedRequest reset(final long requestId, final int prompt, final int generate, final int stop, final int hashes)
    {
        id = requestId;
        stopToken = stop;
        promptTokens = prompt;
        knownTokens = prompt;
        outputLength = prompt + generate;
        hashCount = hashes;
        segments = 1;
        blockCount = 0;
        startSegment();
        // One step may accept drafts beyond the last token that was asked for.
        tokens = withCapacity(tokens, outputLength + draftTokens.length + 1);
        return this;
    }

    private void startSegment()
    {
        admittedTokens = 0;
        cachedTokens = 0;
        rejectedTokens = 0;
        queryTokens = 0;
        kvOffset = 0;
        lastOffset = 0;
        prefill = false;
    }

    /**
     * The request lost its blocks: everything known has to be computed again, or found in the cache once it
     * {@linkplain #hash has its hashes}.
     */
    void evict()
    {
        promptTokens = knownTokens;
        hashCount = 0;
        segments++;
        rowsOfEntries.clear();
        startSegment();
    }

    int entriesWithRows()
    {
        return rowsOfEntries.size();
    }

    int[][] rowsOfEntry(final int index)
    {
        return rowsOfEntries.get(index);
    }

    void rowsOfEntry(final int index, final int[][] rows)
    {
        if (index == rowsOfEntries.size())
        {
            rowsOfEntries.add(rows);
        }
        rowsOfEntries.set(index, rows);
    }

    void clearRows()
    {
        rowsOfEntries.clear();
    }

    /** Until this succeeds the request shares nothing. */
    void hash(final PromptHasher hasher, final PagingArguments arguments, final int fullBlocks)
    {
        blockHashes = withCapacity(blockHashes, fullBlocks);
        // A hash that is left out is refused, instead of being taken from the request that was here before.
        Arrays.fill(blockHashes, 0, fullBlocks, 0);
        arguments.checkHashes(id, hasher.hash(id, tokens, knownTokens, blockHashes), blockHashes, fullBlocks);
        hashCount = fullBlocks;
    }

    void prompt(final int[] prompt, final long[] hashes)
    {
        System.arraycopy(prompt, 0, tokens, 0, promptTokens);
        blockHashes = withCapacity(blockHashes, hashCount);
        System.arraycopy(hashes, 0, blockHashes, 0, hashCount);
    }

    /** Takes the tokens that the step has settled: the accepted drafts and the sampled one. */
    void commit(final int sampledToken)
    {
        knownTokens = kvOffset + queryTokens + 1;
        for (int i = 0; i < knownTokens - 2 - kvOffset - rejectedTokens && !prefill; i++)
        {
            tokens[kvOffset + rejectedTokens + 1 + i] = draftTokens[i];
        }
        tokens[knownTokens - 1] = sampledToken;
    }

    /** Whether the step has settled the last token; call after {@link #commit}. Accepted drafts are no stop tokens. */
    boolean isComplete()
    {
        return knownTokens >= outputLength || stopToken != NO_STOP_TOKEN && tokens[knownTokens - 1] == stopToken;
    }

    void finish()
    {
        knownTokens = Math.min(knownTokens, outputLength);
        ended = true;
    }

    /** Whether the request has ended, which is true once. */
    boolean takeEnd()
    {
        final boolean wasEnded = ended;
        ended = false;
        return wasEnded;
    }

    void ensureBlocks(final int count)
    {
        if (count > blockTable.length)
        {
            blockTable = Arrays.copyOf(blockTable, Math.max(count, 2 * blockTable.length));
        }
    }

    int remainingPrompt()
    {
        return promptTokens - admittedTokens;
    }

    private static int[] withCapacity(final int[] array, final int capacity)
    {
        return capacity <= array.length ? array : Arrays.copyOf(array, Math.max(capacity, 2 * array.length));
    }

    private static long[] withCapacity(final long[] array, final int capacity)
    {
        return capacity <= array.length ? array : Arrays.copyOf(array, Math.max(capacity, 2 * array.length));
    }

    public long id()
    {
        return id;
    }

    /** Prompt and generated tokens so far; of a finished request never more than were asked for. */
    public int tokenCount()
    {
        return knownTokens;
    }

    public int token(final int position)
    {
        return tokens[position];
    }

    /** Position of the first token that the request feeds in its step; of a paused one, in the step before. */
    public int kvOffset()
    {
        return kvOffset;
    }

    /** Index in its block of the last token that is fed by the end of the step. */
    public int lastOffset()
    {
        return lastOffset;
    }

    /** Admissions that began with the first token: 1, and 1 more for each eviction. */
    public int segments()
    {
        return segments;
    }

    /** Tokens in blocks that the last admission found in the cache; some of them may have been computed again. */
    public int cachedTokens()
    {
        return cachedTokens;
    }

    /** KV blocks; of a finished request those that it had. */
    public int blockCount()
    {
        return blockCount;
    }

    public int block(final int index)
    {
        return blockTable[index];
    }

    /**
     * Expert ids of one token, or null if its row is missing. The row of position {@code p} is there once the token at
     * {@code p} was fed; a finished request has {@code tokenCount() - 1} of them.
     */
    public int[] row(final int position, final int blockSizeTokens)
    {
        final int index = position / blockSizeTokens;
        return index < rowsOfEntries.size() ? rowsOfEntries.get(index)[position % blockSizeTokens] : null;
    }
}
