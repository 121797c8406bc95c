// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.event.codec.ScheduleDecoder.AdmittedDecoder;
import io.signalbox.event.codec.ScheduleDecoder.EntriesDecoder;
import io.signalbox.event.codec.ScheduleDecoder.EvictedDecoder;
import io.signalbox.event.codec.ScheduleDecoder.PendingDecoder;
import io.signalbox.event.codec.ScheduleDecoder.TableChangesDecoder;
import io.signalbox.event.codec.TableChangeKind;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * View of one {@code Schedule}: the plan of one step of one rank. Its parts can be read in any order and repeatedly.
 * Index arguments are checked. A view is valid only during the call that receives it. Reading allocates nothing.
 *
 * <p>An <em>entry</em> is one request's part of the step: {@link #tokenCount} tokens at consecutive positions from
 * {@link #start}. A <em>change</em> is one block that a request's block table gains.
 */
public final class StepView extends MessageView
{
    /** Words of an entry that {@link #copyEntries} copies. */
    public static final int ENTRY_WORDS = ScheduleWords.WORDS;

    /** The last word of an entry that is read: its upper bytes are those behind the third word. */
    private static final int LAST_BYTES = EntriesDecoder.samplesEncodingOffset() + 1 - Long.BYTES;
    private static final int LAST_SHIFT = Byte.SIZE * (3 * Long.BYTES - LAST_BYTES);
    private static final String MESSAGE = "a Schedule";

    /** The parts ahead of the entries if all of them are empty. */
    private static final long[] NO_CHANGES = ArrayBytes.emptyParts(3, AdmittedDecoder.sbeBlockLength(),
        EvictedDecoder.sbeBlockLength(), TableChangesDecoder.sbeBlockLength(), PendingDecoder.sbeBlockLength());
    private static final int NO_CHANGES_BYTES = 3 * Long.BYTES;
    /** The parts that were located: none, those ahead of the entries, all. */
    private static final int NONE = 0;
    private static final int CHANGES = 1;
    private static final int ALL = 2;

    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final ScheduleDecoder decoder = new ScheduleDecoder();
    private final MessagePart admitted = new MessagePart(MESSAGE, AdmittedDecoder.sbeBlockLength());
    private final MessagePart evicted = new MessagePart(MESSAGE, EvictedDecoder.sbeBlockLength());
    private final MessagePart changes = new MessagePart(MESSAGE, TableChangesDecoder.sbeBlockLength());
    private final MessagePart pending = new MessagePart(MESSAGE, PendingDecoder.sbeBlockLength());
    private final MessagePart entries = new MessagePart(MESSAGE, EntriesDecoder.sbeBlockLength());
    private int located;
    private int entriesOffset;
    /** Null if the backend reads no tokens. */
    private RequestContents contents;

    /**
     * Wraps an encoded {@code Schedule}. One that is not in an array is copied.
     *
     * @param offset position of its SBE header.
     * @throws IllegalStateException    if the message is not a {@code Schedule}.
     * @throws IllegalArgumentException if a part of the message leaves the buffer.
     */
    public StepView wrap(final DirectBuffer source, final int offset)
    {
        final DirectBuffer array = source.byteArray() != null ? source : copyOf(source);
        decoder.wrapAndApplyHeader(array, offset, header);
        wrap(array, decoder.offset(), header.blockLength(), header.version(), array.capacity());
        locatedAll(entries);
        return this;
    }

    private static DirectBuffer copyOf(final DirectBuffer source)
    {
        final byte[] copy = new byte[source.capacity()];
        source.getBytes(0, copy);
        return new UnsafeBuffer(copy);
    }

    /**
     * Its parts are located when one of them is asked for: some readers of a {@code Schedule} read none, or few.
     *
     * @param source     has an array.
     * @param bodyOffset position behind the SBE header.
     * @param end        position behind the message.
     * @throws MessageFormatException if it has not all fields.
     */
    StepView wrap(final DirectBuffer source, final int bodyOffset, final int block, final int schemaVersion, final int end)
    {
        wrap(MESSAGE, ScheduleDecoder.BLOCK_LENGTH, source, bodyOffset, block, schemaVersion, end);
        located = NONE;
        return this;
    }

    private MessagePart located(final MessagePart part)
    {
        if (located == NONE)
        {
            entriesOffset = locateChanges(body + blockLength);
            located = CHANGES;
        }
        return part;
    }

    private MessagePart locatedAll(final MessagePart part)
    {
        if (located != ALL)
        {
            located(part);
            entries.wrap(bytes, entriesOffset, limit, shift);
            located = ALL;
        }
        return part;
    }

    /** Locates the parts ahead of the entries, which most steps have empty, and returns where the entries begin. */
    private int locateChanges(final int offset)
    {
        if (limit - offset >= NO_CHANGES_BYTES && ArrayBytes.getLong(bytes, offset) == NO_CHANGES[0] &&
            ArrayBytes.getLong(bytes, offset + Long.BYTES) == NO_CHANGES[1] &&
            ArrayBytes.getLong(bytes, offset + 2 * Long.BYTES) == NO_CHANGES[2])
        {
            admitted.empty();
            evicted.empty();
            changes.empty();
            pending.empty();
            return offset + NO_CHANGES_BYTES;
        }
        int next = admitted.wrap(bytes, offset, limit, shift);
        next = evicted.wrap(bytes, next, limit, shift);
        next = changes.wrap(bytes, next, limit, shift);
        return pending.wrap(bytes, next, limit, shift);
    }

    /** Connects the step with the requests that it computes. */
    public StepView with(final RequestContents requests)
    {
        contents = requests;
        return this;
    }

    /**
     * The message as a whole, for printing.
     *
     * @throws MessageFormatException if a part of the message leaves it.
     */
    ScheduleDecoder message()
    {
        locatedAll(entries);
        return decoder.wrap(buffer, body - shift, blockLength, version);
    }

    /** Number of the step; steps of a rank count upwards from 1. */
    public long step()
    {
        return ArrayBytes.getLong(bytes, body + ScheduleDecoder.stepEncodingOffset());
    }

    public int epoch()
    {
        return ArrayBytes.getInt(bytes, body + ScheduleDecoder.epochEncodingOffset());
    }

    public int rank()
    {
        return ArrayBytes.getInt(bytes, body + ScheduleDecoder.rankEncodingOffset());
    }

    /** Tokens of all entries together. */
    public int tokens()
    {
        return ArrayBytes.getInt(bytes, body + ScheduleDecoder.tokensEncodingOffset());
    }

    /** The weights that compute the step; 0: those with which the run began. Steps in order never go back to former ones. */
    public int weightGeneration()
    {
        return ArrayBytes.getInt(bytes, body + ScheduleDecoder.weightGenerationEncodingOffset());
    }

    /** Entries, in batch order; 0 in the plan of an idle rank in lock-step. */
    public int entryCount()
    {
        return locatedAll(entries).count();
    }

    public long requestId(final int entry)
    {
        return ArrayBytes.getLong(bytes, locatedAll(entries).at(entry) + EntriesDecoder.requestIdEncodingOffset());
    }

    /**
     * Copies the {@link ScheduleWords} of all entries, {@link #ENTRY_WORDS} each, for a backend that reads every field.
     *
     * @param words holds at least {@link #entryCount()} times as many words.
     */
    public void copyEntries(final long[] words)
    {
        final int end = entryCount() * ENTRY_WORDS;
        final int stride = entries.stride();
        int at = entries.base();
        for (int word = 0; word < end; word += ENTRY_WORDS)
        {
            words[word] = ArrayBytes.getLong(bytes, at);
            words[word + 1] = ArrayBytes.getLong(bytes, at + Long.BYTES);
            words[word + 2] = ArrayBytes.getLong(bytes, at + 2 * Long.BYTES);
            words[word + 3] = ArrayBytes.getLong(bytes, at + LAST_BYTES) >>> LAST_SHIFT;
            at += stride;
        }
    }

    /**
     * Lowest possible position of the entry's first token in its request's sequence; without slack, its position. With a
     * predecessor the first token's position is that of the predecessor's first token plus the tokens it accepted.
     */
    public int start(final int entry)
    {
        return ArrayBytes.getInt(bytes, locatedAll(entries).at(entry) + EntriesDecoder.startEncodingOffset());
    }

    public int tokenCount(final int entry)
    {
        return ArrayBytes.getInt(bytes, locatedAll(entries).at(entry) + EntriesDecoder.tokenCountEncodingOffset());
    }

    /** The first token's position is at most that far behind {@link #start}; 0 if the host knows it. */
    public int slack(final int entry)
    {
        return ArrayBytes.getShort(bytes, locatedAll(entries).at(entry) + EntriesDecoder.slackEncodingOffset()) & 0xFFFF;
    }

    /**
     * No position of the entry's request at or above it may be computed: a token there writes no keys and values, has no
     * row, and counts as rejected. An entry that would start there is <em>void</em>.
     */
    public int end(final int entry)
    {
        final int at = locatedAll(entries).at(entry);
        return ArrayBytes.getInt(bytes, at + EntriesDecoder.startEncodingOffset()) +
            (ArrayBytes.getShort(bytes, at + EntriesDecoder.slackEncodingOffset()) & 0xFFFF) +
            ArrayBytes.getInt(bytes, at + EntriesDecoder.tokenCountEncodingOffset()) -
            (ArrayBytes.getShort(bytes, at + EntriesDecoder.clipEncodingOffset()) & 0xFFFF);
    }

    /** Draft tokens at the end of the entry's tokens: how many the backend may guess and verify with this step. */
    public int drafts(final int entry)
    {
        return bytes[locatedAll(entries).at(entry) + EntriesDecoder.draftsEncodingOffset()] & 0xFF;
    }

    /**
     * How many steps before this one the entry's first token was sampled, if the device holds that token; 0 if the host
     * knows every token except the drafts. With draft tokens the device holds it at depth 1 too: {@link #hostTokens} then
     * says whether the host has landed that step and knows the token as well.
     */
    public int predecessorBack(final int entry)
    {
        return bytes[locatedAll(entries).at(entry) + EntriesDecoder.predecessorBackEncodingOffset()] & 0xFF;
    }

    /** The entry of that step which sampled the first token; only if there is a predecessor. */
    public int predecessorEntry(final int entry)
    {
        return ArrayBytes.getInt(bytes, locatedAll(entries).at(entry) + EntriesDecoder.predecessorEntryEncodingOffset());
    }

    /**
     * How many of the entry's tokens, the first ones, the host knows: {@link RequestContent#token} has them from
     * {@link #start} on. The entry needs its predecessor only if the host knows none. Draft tokens are never counted: the
     * backend drafts them. 0 for an entry with a predecessor if the backend does not declare that it reads tokens.
     */
    public int hostTokens(final int entry)
    {
        if (predecessorBack(entry) == 0)
        {
            return tokenCount(entry) - drafts(entry);
        }
        // The predecessor has landed if its token is known.
        return contents != null && slack(entry) == 0 && start(entry) < request(entry).knownTokens() ? 1 : 0;
    }

    /**
     * The request of the entry: tokens, block table up to {@link #end} and sampling parameters.
     *
     * @throws IllegalStateException if the backend does not declare that it reads tokens.
     */
    public RequestContent request(final int entry)
    {
        if (contents == null)
        {
            throw new IllegalStateException("the step has no content of requests, because its backend does not declare " +
                "that it reads tokens; declare BackendCapabilities.Builder.readsTokens");
        }
        return contents.of(requestId(entry));
    }

    /** Whether the entry samples a token behind its last one; a chunk within a prompt does not. */
    public boolean samples(final int entry)
    {
        return bytes[locatedAll(entries).at(entry) + EntriesDecoder.samplesEncodingOffset()] == Flag.YES.value();
    }

    /** Number of block table changes to apply before the step runs. */
    public int changeCount()
    {
        return located(changes).count();
    }

    public long changeRequestId(final int change)
    {
        return ArrayBytes.getLong(bytes, located(changes).at(change) + TableChangesDecoder.requestIdEncodingOffset());
    }

    /** Index in the request's block table. */
    public int changeIndex(final int change)
    {
        return ArrayBytes.getInt(bytes, located(changes).at(change) + TableChangesDecoder.blockIndexEncodingOffset());
    }

    public int changeBlockId(final int change)
    {
        return ArrayBytes.getInt(bytes, located(changes).at(change) + TableChangesDecoder.blockIdEncodingOffset());
    }

    /** How often the block has been allocated, this time included. */
    public int changeIssue(final int change)
    {
        return ArrayBytes.getInt(bytes, located(changes).at(change) + TableChangesDecoder.issueEncodingOffset());
    }

    /** Whether the block is shared through a prefix match; otherwise it was allocated. */
    public boolean changeIsMatch(final int change)
    {
        return bytes[located(changes).at(change) + TableChangesDecoder.kindEncodingOffset()] ==
            TableChangeKind.MATCHED.value() || changeIsPendingMatch(change);
    }

    /** Whether the block is shared with an entry in flight, or of the same step, that computes it. */
    public boolean changeIsPendingMatch(final int change)
    {
        return bytes[located(changes).at(change) + TableChangesDecoder.kindEncodingOffset()] ==
            TableChangeKind.MATCHED_PENDING.value();
    }

    /** Requests that entered the batch with this step. */
    public int admittedCount()
    {
        return located(admitted).count();
    }

    public long admittedRequestId(final int index)
    {
        return ArrayBytes.getLong(bytes, located(admitted).at(index) + AdmittedDecoder.requestIdEncodingOffset());
    }

    /** Blocks that the admitted request shares through its prefix match. */
    public int matchedBlocks(final int index)
    {
        return ArrayBytes.getInt(bytes, located(admitted).at(index) + AdmittedDecoder.matchedBlocksEncodingOffset());
    }

    /** Whether the admitted request had been preempted before. */
    public boolean isResumed(final int index)
    {
        return bytes[located(admitted).at(index) + AdmittedDecoder.resumedEncodingOffset()] == Flag.YES.value();
    }

    /** Number of cached blocks that were evicted for this step. */
    public int evictedCount()
    {
        return located(evicted).count();
    }

    public long evictedHash(final int index)
    {
        return ArrayBytes.getLong(bytes, located(evicted).at(index) + EvictedDecoder.blockHashEncodingOffset());
    }

    public int evictedBlockId(final int index)
    {
        return ArrayBytes.getInt(bytes, located(evicted).at(index) + EvictedDecoder.blockIdEncodingOffset());
    }

    @Override
    public String toString()
    {
        return bytes == null ? "no step" :
            "step " + step() + " of rank " + rank() + " in epoch " + epoch() + ": " + tokens() + " tokens of " +
                entryCount() + " entries";
    }
}
