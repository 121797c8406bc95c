// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.GroupSizeEncodingDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.event.codec.ScheduleDecoder.AdmittedDecoder;
import io.signalbox.event.codec.ScheduleDecoder.CopiesDecoder;
import io.signalbox.event.codec.ScheduleDecoder.EntriesDecoder;
import io.signalbox.event.codec.ScheduleDecoder.EvictedDecoder;
import io.signalbox.event.codec.ScheduleDecoder.PendingDecoder;
import io.signalbox.event.codec.ScheduleDecoder.TableChangesDecoder;
import io.signalbox.event.codec.TableChangeKind;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * View of one {@code Schedule}: the plan of one step of one rank. Its parts can be read in any order and repeatedly.
 * Index arguments are checked. A view is valid only during the call that receives it. Reading allocates nothing.
 *
 * <p>An <em>entry</em> is one request's part of the step: {@link #tokenCount} tokens at consecutive positions from
 * {@link #start}. A <em>change</em> is one block that a request's block table gains.
 */
public final class StepView
{
    /** Words of an entry that {@link #copyEntries} copies. */
    public static final int ENTRY_WORDS = 4;

    private static final ByteOrder ORDER = MessagePart.ORDER;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ORDER);
    /** The last word of an entry that is read: its upper bytes are those behind the third word. */
    private static final int LAST_BYTES = EntriesDecoder.samplesEncodingOffset() + 1 - Long.BYTES;
    private static final int LAST_SHIFT = Byte.SIZE * (3 * Long.BYTES - LAST_BYTES);
    private static final String MESSAGE = "a Schedule";

    /** The parts ahead of the entries if all of them are empty. */
    private static final long[] NO_CHANGES = noChanges();
    private static final int NO_CHANGES_BYTES = 3 * Long.BYTES;

    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final ScheduleDecoder decoder = new ScheduleDecoder();
    private final MessagePart admitted = new MessagePart(MESSAGE);
    private final MessagePart evicted = new MessagePart(MESSAGE);
    private final MessagePart changes = new MessagePart(MESSAGE);
    private final MessagePart pending = new MessagePart(MESSAGE);
    private final MessagePart entries = new MessagePart(MESSAGE);
    private final MessagePart copies = new MessagePart(MESSAGE);
    private DirectBuffer buffer;
    private int body;
    /** Null if the backend reads no tokens. */
    private RequestContents contents;

    private static long[] noChanges()
    {
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[NO_CHANGES_BYTES]);
        final int[] elementBytes = {AdmittedDecoder.sbeBlockLength(), EvictedDecoder.sbeBlockLength(),
            TableChangesDecoder.sbeBlockLength(), PendingDecoder.sbeBlockLength()};
        for (int part = 0; part < elementBytes.length; part++)
        {
            bytes.putShort(part * GroupSizeEncodingDecoder.ENCODED_LENGTH, (short)elementBytes[part], ORDER);
        }
        return new long[]{bytes.getLong(0, ORDER), bytes.getLong(Long.BYTES, ORDER), bytes.getLong(2 * Long.BYTES, ORDER)};
    }

    /**
     * Wraps an encoded {@code Schedule}.
     *
     * @param offset position of its SBE header.
     * @throws IllegalStateException    if the message is not a {@code Schedule}.
     * @throws IllegalArgumentException if a part of the message leaves the buffer.
     */
    public StepView wrap(final DirectBuffer source, final int offset)
    {
        decoder.wrapAndApplyHeader(source, offset, header);
        return wrap(source, decoder.offset(), header.blockLength(), header.version(), source.capacity());
    }

    /**
     * @param bodyOffset position behind the SBE header.
     * @param limit      position behind the message.
     * @throws IllegalArgumentException if a part of the message leaves it.
     */
    StepView wrap(
        final DirectBuffer source, final int bodyOffset, final int blockLength, final int version, final int limit)
    {
        buffer = source;
        body = bodyOffset;
        decoder.wrap(source, bodyOffset, blockLength, version);
        copies.wrap(source, entries.wrap(source, locateChanges(bodyOffset + blockLength, limit), limit), limit);
        return this;
    }

    /** Locates the parts ahead of the entries, which most steps have empty, and returns where the entries begin. */
    private int locateChanges(final int offset, final int limit)
    {
        if (limit - offset >= NO_CHANGES_BYTES && buffer.getLong(offset, ORDER) == NO_CHANGES[0] &&
            buffer.getLong(offset + Long.BYTES, ORDER) == NO_CHANGES[1] &&
            buffer.getLong(offset + 2 * Long.BYTES, ORDER) == NO_CHANGES[2])
        {
            admitted.empty();
            evicted.empty();
            changes.empty();
            pending.empty();
            return offset + NO_CHANGES_BYTES;
        }
        int next = admitted.wrap(buffer, offset, limit);
        next = evicted.wrap(buffer, next, limit);
        next = changes.wrap(buffer, next, limit);
        return pending.wrap(buffer, next, limit);
    }

    /** Connects the step with the requests that it computes. */
    public StepView with(final RequestContents requests)
    {
        contents = requests;
        return this;
    }

    /** The message as a whole, for printing. */
    ScheduleDecoder message()
    {
        return decoder;
    }

    /** Number of the step; steps of a rank count upwards from 1. */
    public long step()
    {
        return buffer.getLong(body + ScheduleDecoder.stepEncodingOffset(), ORDER);
    }

    public int epoch()
    {
        return buffer.getInt(body + ScheduleDecoder.epochEncodingOffset(), ORDER);
    }

    public int rank()
    {
        return buffer.getInt(body + ScheduleDecoder.rankEncodingOffset(), ORDER);
    }

    /** Tokens of all entries together. */
    public int tokens()
    {
        return buffer.getInt(body + ScheduleDecoder.tokensEncodingOffset(), ORDER);
    }

    /** The weights that compute the step; 0: those with which the run began. Steps in order never go back to former ones. */
    public int weightGeneration()
    {
        return buffer.getInt(body + ScheduleDecoder.weightGenerationEncodingOffset(), ORDER);
    }

    /** Entries, in batch order; 0 in the plan of an idle rank in lock-step. */
    public int entryCount()
    {
        return entries.count();
    }

    public long requestId(final int entry)
    {
        return buffer.getLong(entries.at(entry) + EntriesDecoder.requestIdEncodingOffset(), ORDER);
    }

    /**
     * Copies all entries as the schema lays them out, {@link #ENTRY_WORDS} each, for a backend that reads every field:
     *
     * <pre>
     *   0   request id
     *   1   start (32 bits), token count (32)
     *   2   predecessor entry (32), slack (16), clip (16)
     *   3   predecessor back (8), drafts (8), samples (8)
     * </pre>
     *
     * @param words holds at least {@link #entryCount()} times as many words.
     */
    public void copyEntries(final long[] words)
    {
        final byte[] bytes = entries.bytes(buffer);
        final int stride = entries.stride();
        final int end = entries.count() * ENTRY_WORDS;
        int at = entries.firstByte();
        for (int word = 0; word < end; word += ENTRY_WORDS)
        {
            words[word] = (long)LONGS.get(bytes, at);
            words[word + 1] = (long)LONGS.get(bytes, at + Long.BYTES);
            words[word + 2] = (long)LONGS.get(bytes, at + 2 * Long.BYTES);
            words[word + 3] = (long)LONGS.get(bytes, at + LAST_BYTES) >>> LAST_SHIFT;
            at += stride;
        }
    }

    /**
     * Lowest possible position of the entry's first token in its request's sequence; without slack, its position. With a
     * predecessor the first token's position is that of the predecessor's first token plus the tokens it accepted.
     */
    public int start(final int entry)
    {
        return buffer.getInt(entries.at(entry) + EntriesDecoder.startEncodingOffset(), ORDER);
    }

    public int tokenCount(final int entry)
    {
        return buffer.getInt(entries.at(entry) + EntriesDecoder.tokenCountEncodingOffset(), ORDER);
    }

    /** The first token's position is at most that far behind {@link #start}; 0 if the host knows it. */
    public int slack(final int entry)
    {
        return buffer.getShort(entries.at(entry) + EntriesDecoder.slackEncodingOffset(), ORDER) & 0xFFFF;
    }

    /**
     * No position of the entry's request at or above it may be computed: a token there writes no keys and values, has no
     * row, and counts as rejected. An entry that would start there is <em>void</em>.
     */
    public int end(final int entry)
    {
        final int at = entries.at(entry);
        return buffer.getInt(at + EntriesDecoder.startEncodingOffset(), ORDER) +
            (buffer.getShort(at + EntriesDecoder.slackEncodingOffset(), ORDER) & 0xFFFF) +
            buffer.getInt(at + EntriesDecoder.tokenCountEncodingOffset(), ORDER) -
            (buffer.getShort(at + EntriesDecoder.clipEncodingOffset(), ORDER) & 0xFFFF);
    }

    /** Draft tokens at the end of the entry's tokens, which the device holds. */
    public int drafts(final int entry)
    {
        return buffer.getByte(entries.at(entry) + EntriesDecoder.draftsEncodingOffset()) & 0xFF;
    }

    /**
     * How many steps before this one the entry's first token was sampled, if the device holds it and perhaps the host does
     * not; 0 if the host knows every token but the drafts.
     */
    public int predecessorBack(final int entry)
    {
        return buffer.getByte(entries.at(entry) + EntriesDecoder.predecessorBackEncodingOffset()) & 0xFF;
    }

    /** The entry of that step which sampled the first token; only if there is a predecessor. */
    public int predecessorEntry(final int entry)
    {
        return buffer.getInt(entries.at(entry) + EntriesDecoder.predecessorEntryEncodingOffset(), ORDER);
    }

    /**
     * How many of the entry's tokens, the first ones, are known to the host: {@link RequestContent#token} has them. The
     * first of an entry with a predecessor is on the device, and so are the drafts.
     */
    public int hostTokens(final int entry)
    {
        return predecessorBack(entry) > 0 ? 0 : tokenCount(entry) - drafts(entry);
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
        return buffer.getByte(entries.at(entry) + EntriesDecoder.samplesEncodingOffset()) == Flag.YES.value();
    }

    /** Number of block table changes to apply before the step runs. */
    public int changeCount()
    {
        return changes.count();
    }

    public long changeRequestId(final int change)
    {
        return buffer.getLong(changes.at(change) + TableChangesDecoder.requestIdEncodingOffset(), ORDER);
    }

    /** Index in the request's block table. */
    public int changeIndex(final int change)
    {
        return buffer.getInt(changes.at(change) + TableChangesDecoder.blockIndexEncodingOffset(), ORDER);
    }

    public int changeBlockId(final int change)
    {
        return buffer.getInt(changes.at(change) + TableChangesDecoder.blockIdEncodingOffset(), ORDER);
    }

    /** How often the block has been allocated, this time included. */
    public int changeIssue(final int change)
    {
        return buffer.getInt(changes.at(change) + TableChangesDecoder.issueEncodingOffset(), ORDER);
    }

    /** Whether the block is shared through a prefix match; otherwise it was allocated. */
    public boolean changeIsMatch(final int change)
    {
        return buffer.getByte(changes.at(change) + TableChangesDecoder.kindEncodingOffset()) ==
            TableChangeKind.MATCHED.value() || changeIsPendingMatch(change);
    }

    /** Whether the block is shared with an entry in flight, or of the same step, that computes it. */
    public boolean changeIsPendingMatch(final int change)
    {
        return buffer.getByte(changes.at(change) + TableChangesDecoder.kindEncodingOffset()) ==
            TableChangeKind.MATCHED_PENDING.value();
    }

    /**
     * Number of copies of keys and values, from block to block of this rank, to be made before the step computes and behind
     * the steps before it. None if the backend does not declare that it copies blocks.
     */
    public int copyCount()
    {
        return copies.count();
    }

    /** The request whose block receives the copy. */
    public long copyRequestId(final int copy)
    {
        return buffer.getLong(copies.at(copy) + CopiesDecoder.requestIdEncodingOffset(), ORDER);
    }

    /** The block that is copied; no step in flight writes the tokens that are. */
    public int copyFromBlock(final int copy)
    {
        return buffer.getInt(copies.at(copy) + CopiesDecoder.fromBlockEncodingOffset(), ORDER);
    }

    /** How often that block has been allocated. */
    public int copyFromIssue(final int copy)
    {
        return buffer.getInt(copies.at(copy) + CopiesDecoder.fromIssueEncodingOffset(), ORDER);
    }

    /** The block that receives the copy; a change of this step allocates it. */
    public int copyToBlock(final int copy)
    {
        return buffer.getInt(copies.at(copy) + CopiesDecoder.toBlockEncodingOffset(), ORDER);
    }

    /** How often that block has been allocated, this time included. */
    public int copyToIssue(final int copy)
    {
        return buffer.getInt(copies.at(copy) + CopiesDecoder.toIssueEncodingOffset(), ORDER);
    }

    /** The first tokens of the block, that many, are copied to the same places. */
    public int copyTokens(final int copy)
    {
        return buffer.getInt(copies.at(copy) + CopiesDecoder.tokensEncodingOffset(), ORDER);
    }

    /** Requests that entered the batch with this step. */
    public int admittedCount()
    {
        return admitted.count();
    }

    public long admittedRequestId(final int index)
    {
        return buffer.getLong(admitted.at(index) + AdmittedDecoder.requestIdEncodingOffset(), ORDER);
    }

    /** Blocks that the admitted request shares through its prefix match. */
    public int matchedBlocks(final int index)
    {
        return buffer.getInt(admitted.at(index) + AdmittedDecoder.matchedBlocksEncodingOffset(), ORDER);
    }

    /** Whether the admitted request had been preempted before. */
    public boolean isResumed(final int index)
    {
        return buffer.getByte(admitted.at(index) + AdmittedDecoder.resumedEncodingOffset()) == Flag.YES.value();
    }

    /** Number of cached blocks that were evicted for this step. */
    public int evictedCount()
    {
        return evicted.count();
    }

    public long evictedHash(final int index)
    {
        return buffer.getLong(evicted.at(index) + EvictedDecoder.blockHashEncodingOffset(), ORDER);
    }

    public int evictedBlockId(final int index)
    {
        return buffer.getInt(evicted.at(index) + EvictedDecoder.blockIdEncodingOffset(), ORDER);
    }
}
