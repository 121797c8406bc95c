// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.InvariantViolation;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Writes a slot's step block, which tells the kernels what changes from step to step. The kernels see it once the ring
 * has begun the step; until the step is reported nobody may write to it.
 */
public final class StepBlock
{
    static final int HEADER_BYTES = 64;

    static final int STEP_OFFSET = 0;
    static final int TOKENS_OFFSET = 8;
    static final int ENTRIES_OFFSET = 12;
    static final int SLOT_OFFSET = 16;
    static final int RANK_OFFSET = 20;
    static final int EPOCH_OFFSET = 24;
    static final int GENERATION_OFFSET = 28;
    static final int FINGERPRINT_OFFSET = 32;
    static final int BUCKET_OFFSET = 40;
    static final int FEED_OFFSET = 44;
    static final int LEFT_OUT_OFFSET = 48;
    static final int EXTRA_WORDS_OFFSET = 52;
    static final int BINDINGS_OFFSET = 56;
    static final int BINDING_COUNT_OFFSET = 60;
    /** Of an entry, with the parts of a log-probability. */
    static final int MOST_EXTRA_WORDS = 2;
    static final int SAMPLING_BYTES = 24;
    static final int BINDING_BYTES = 32;
    static final int LEFT_OUT_BYTES = 12;

    private final UnsafeBuffer buffer;
    private final int maxTokens;
    private final int maxBytes;
    private int positionsOffset;
    private int lastTokensOffset;
    private int epoch;
    private int tokens;
    private int entries;
    private int extraWords;
    private int feedOffset;
    private int tablesOffset;
    private int leftOutOffset;
    private int bindingsOffset;
    private int guessesOffset;
    private int bindings;
    private int usedBytes;

    StepBlock(final ByteBuffer pinned, final int maxTokens)
    {
        buffer = new UnsafeBuffer(pinned);
        this.maxTokens = maxTokens;
        maxBytes = buffer.capacity();
    }

    /** Bytes of the block of a step: what it does not have takes no room. */
    static long bytes(final int tokens, final int entries)
    {
        return HEADER_BYTES + (Long.BYTES + Integer.BYTES) * (long)tokens + Integer.BYTES * (long)entries;
    }

    /** Bytes of what a decoder needs of a step, with so many blocks in all tables together. */
    public static long feedBytes(final long tokens, final long entries, final long blocks)
    {
        return Long.BYTES + SAMPLING_BYTES * entries + 2L * Integer.BYTES * tokens + Integer.BYTES * blocks;
    }

    /** Counts of a step for the ring; tokens and entries are 0 until {@link #begin}. */
    void open(final long step, final int generation, final int slot, final int rank, final long fingerprint)
    {
        buffer.putLong(STEP_OFFSET, step, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(SLOT_OFFSET, slot, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(RANK_OFFSET, rank, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(GENERATION_OFFSET, generation, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(FINGERPRINT_OFFSET, fingerprint, ByteOrder.LITTLE_ENDIAN);
        begin(0, 0, 0);
    }

    /**
     * Starts a step's content; each of its tokens and entries is to be written after that.
     *
     * @param stepTokens  real tokens, 0 to the most of a step.
     * @param stepEntries entries of the plan that sample a token, 0 to the most tokens of a step.
     * @throws InvariantViolation when a step is larger than the ring was built for.
     */
    public void begin(final int stepEpoch, final int stepTokens, final int stepEntries)
    {
        if (stepTokens < 0 || stepTokens > maxTokens || stepEntries < 0 || stepEntries > maxTokens)
        {
            throw new InvariantViolation("a step of " + stepTokens + " tokens and " + stepEntries +
                " entries reached a capture ring for steps of " + maxTokens);
        }
        epoch = stepEpoch;
        tokens = stepTokens;
        entries = stepEntries;
        positionsOffset = HEADER_BYTES + stepTokens * Long.BYTES;
        lastTokensOffset = positionsOffset + stepTokens * Integer.BYTES;
        buffer.putInt(TOKENS_OFFSET, stepTokens, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(ENTRIES_OFFSET, stepEntries, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(EPOCH_OFFSET, stepEpoch, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(FEED_OFFSET, 0, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(LEFT_OUT_OFFSET, 0, ByteOrder.LITTLE_ENDIAN);
        extraWords(0);
        bindings(0, 0);
        usedBytes = (int)bytes(stepTokens, stepEntries);
    }

    /**
     * Starts what a decoder needs of the step; each part of it is to be written after that.
     *
     * @param blocks of all block tables together.
     * @throws InvariantViolation if it is larger than the ring was built for.
     */
    public void beginFeed(final int blocks)
    {
        feedOffset = (usedBytes + Long.BYTES - 1) / Long.BYTES * Long.BYTES;
        tablesOffset = feedOffset + SAMPLING_BYTES * entries + 2 * Integer.BYTES * tokens;
        use(tablesOffset + Integer.BYTES * blocks - usedBytes, blocks + " blocks of tables");
        buffer.putInt(FEED_OFFSET, feedOffset, ByteOrder.LITTLE_ENDIAN);
    }

    private void use(final int bytes, final String what)
    {
        usedBytes += bytes;
        if (usedBytes > maxBytes)
        {
            throw new InvariantViolation("a step block of " + usedBytes + " bytes, with " + what +
                ", reached a capture ring for " + maxBytes);
        }
    }

    /** Bytes of the stop tokens that a step leaves out. */
    public static long leftOutBytes(final long entries, final long ids)
    {
        return LEFT_OUT_BYTES * entries + Integer.BYTES * ids;
    }

    /**
     * After {@link #beginFeed}: starts the part for stop tokens that the sampler leaves out. Each entry must be written.
     *
     * @param ids of all entries together.
     */
    public void beginLeftOut(final int ids)
    {
        leftOutOffset = usedBytes;
        use((int)leftOutBytes(entries, ids), ids + " stop tokens to leave out");
        buffer.putInt(LEFT_OUT_OFFSET, leftOutOffset, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * The stop tokens of an entry.
     *
     * @param first     of the step's stop tokens.
     * @param mayStopAt position from which they may be sampled.
     */
    public void leaveOut(final int entry, final int first, final int count, final int mayStopAt)
    {
        check(entry, entries, "entry");
        final int at = leftOutOffset + LEFT_OUT_BYTES * entry;
        buffer.putInt(at, first, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(at + Integer.BYTES, count, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(at + 2 * Integer.BYTES, mayStopAt, ByteOrder.LITTLE_ENDIAN);
    }

    /** A stop token of an entry, of the vocabulary. */
    public void stopToken(final int index, final int id)
    {
        buffer.putInt(leftOutOffset + LEFT_OUT_BYTES * entries + Integer.BYTES * index, id, ByteOrder.LITTLE_ENDIAN);
    }

    /** Bytes of the entries that sample, if there may be draft tokens, and of the guesses of all of them. */
    public static long draftBytes(final long entries, final long guesses)
    {
        return BINDING_BYTES * entries + Integer.BYTES * guesses;
    }

    /**
     * Behind {@link #beginFeed}: starts the part for draft tokens.
     *
     * @param sampling entries that sample, each of which is to be bound.
     * @param guesses  of all of them together.
     */
    public void beginDrafts(final int sampling, final int guesses)
    {
        bindingsOffset = usedBytes;
        guessesOffset = bindingsOffset + BINDING_BYTES * sampling;
        use((int)draftBytes(sampling, guesses), guesses + " guesses for draft tokens");
        bindings(bindingsOffset, sampling);
    }

    private void bindings(final int offset, final int count)
    {
        bindings = count;
        buffer.putInt(BINDINGS_OFFSET, offset, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(BINDING_COUNT_OFFSET, count, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * An entry that samples.
     *
     * @param firstPlace of the tokens that it samples, one behind each of its last {@code places} tokens.
     * @param former     its first token and start among those that former steps left; -1: the host knows them.
     * @param start      the lowest one.
     * @param end        no position at or above it is computed.
     * @param guesses    where those for the positions behind {@code start} begin among the guesses.
     */
    public void bind(
        final int index, final int firstToken, final int entryTokens, final int firstPlace, final int places,
        final int former, final int start, final int end, final int guesses)
    {
        check(index, bindings, "binding");
        final int at = bindingsOffset + BINDING_BYTES * index;
        buffer.putInt(at, firstToken, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(at + 4, entryTokens, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(at + 8, firstPlace, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(at + 12, places, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(at + 16, former, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(at + 20, start, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(at + 24, end, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(at + 28, guesses, ByteOrder.LITTLE_ENDIAN);
    }

    /** The token that is guessed for a position. */
    public void guess(final int index, final int id)
    {
        buffer.putInt(guessesOffset + Integer.BYTES * index, id, ByteOrder.LITTLE_ENDIAN);
    }

    /** Whether the device may reject tokens that it has sampled. */
    boolean rejects()
    {
        return bindings > 0;
    }

    /** The result brings the parts of each entry's log-probability; a decoder's alone can. */
    public void wantLogprobs()
    {
        extraWords(MOST_EXTRA_WORDS);
    }

    private void extraWords(final int words)
    {
        extraWords = words;
        buffer.putInt(EXTRA_WORDS_OFFSET, words, ByteOrder.LITTLE_ENDIAN);
    }

    /** Words of each entry in the result beyond its token. */
    int extraWords()
    {
        return extraWords;
    }

    /** How an entry samples the token at a position. */
    public void sampling(
        final int entry, final float temperature, final int topK, final float topP, final int position, final long seed)
    {
        check(entry, entries, "entry");
        final int at = feedOffset + SAMPLING_BYTES * entry;
        buffer.putFloat(at, temperature, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(at + Integer.BYTES, topK, ByteOrder.LITTLE_ENDIAN);
        buffer.putFloat(at + 2 * Integer.BYTES, topP, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(at + 3 * Integer.BYTES, position, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(at + 4 * Integer.BYTES, seed, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * @param id    of the token; {@code -1 - i}: element i of the sampled tokens on the device.
     * @param table where the block table of its sequence begins among the blocks.
     */
    public void feed(final int token, final int id, final int table)
    {
        check(token, tokens, "token");
        final int at = feedOffset + SAMPLING_BYTES * entries + Integer.BYTES * token;
        buffer.putInt(at, id, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(at + Integer.BYTES * tokens, table, ByteOrder.LITTLE_ENDIAN);
    }

    /** A block of a table. */
    public void block(final int index, final int id)
    {
        buffer.putInt(tablesOffset + Integer.BYTES * index, id, ByteOrder.LITTLE_ENDIAN);
    }

    /** @param index from 0 to below the step's tokens. */
    public void token(final int index, final long request, final int position)
    {
        check(index, tokens, "token");
        buffer.putLong(HEADER_BYTES + index * Long.BYTES, request, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(positionsOffset + index * Integer.BYTES, position, ByteOrder.LITTLE_ENDIAN);
    }

    /** @param lastToken index of the entry's last token, whose result the entry samples from. */
    public void entry(final int index, final int lastToken)
    {
        check(index, entries, "entry");
        check(lastToken, tokens, "last token");
        buffer.putInt(lastTokensOffset + index * Integer.BYTES, lastToken, ByteOrder.LITTLE_ENDIAN);
    }

    private static void check(final int index, final int count, final String what)
    {
        if (index < 0 || index >= count)
        {
            throw new InvariantViolation(what + " " + index + " of a step that has " + count);
        }
    }

    public int epoch()
    {
        return epoch;
    }

    public int tokens()
    {
        return tokens;
    }

    public int entries()
    {
        return entries;
    }

    /** @param bucket the tokens that the step's kernels are launched for: so many rows they may write. */
    void bucket(final int bucket)
    {
        if (bucket < tokens || bucket > maxTokens)
        {
            throw new InvariantViolation("a step of " + tokens + " tokens was launched for " + bucket +
                ", in a capture ring for steps of " + maxTokens);
        }
        buffer.putInt(BUCKET_OFFSET, bucket, ByteOrder.LITTLE_ENDIAN);
    }

    /** Bytes that the step's kernels read. */
    long usedBytes()
    {
        return usedBytes;
    }
}
