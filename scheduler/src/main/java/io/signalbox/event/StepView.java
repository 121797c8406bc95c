// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.GroupSizeEncodingDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.event.codec.ScheduleDecoder.AdmittedDecoder;
import io.signalbox.event.codec.ScheduleDecoder.PreemptedDecoder;
import io.signalbox.event.codec.ScheduleDecoder.RowsDecoder;
import io.signalbox.event.codec.ScheduleDecoder.TableChangesDecoder;
import io.signalbox.event.codec.TableChangeKind;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;

/**
 * View of one {@code Schedule}: the plan of one step of one rank. Its parts can be read in any order and repeatedly.
 * Index arguments are checked. A view is valid only during the call that receives it. Reading allocates nothing.
 *
 * <p>An <em>entry</em> is one request's part of the step: {@link #tokenCount} tokens at consecutive positions from
 * {@link #start}. Each entry samples one token. A <em>change</em> is one block that a request's block table gains.
 */
public final class StepView
{
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    private static final int MAX_COUNT = 16_777_216;

    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final ScheduleDecoder decoder = new ScheduleDecoder();
    private final Part preempted = new Part();
    private final Part admitted = new Part();
    private final Part evicted = new Part();
    private final Part changes = new Part();
    private final Part pending = new Part();
    private final Part entries = new Part();
    private DirectBuffer buffer;
    private int body;

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
        int next = bodyOffset + blockLength;
        next = preempted.wrap(source, next, limit);
        next = admitted.wrap(source, next, limit);
        next = evicted.wrap(source, next, limit);
        next = changes.wrap(source, next, limit);
        next = pending.wrap(source, next, limit);
        entries.wrap(source, next, limit);
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

    /** Entries, in batch order; 0 in the plan of an idle rank in lock-step. */
    public int entryCount()
    {
        return entries.count;
    }

    public long requestId(final int entry)
    {
        return buffer.getLong(entries.at(entry) + RowsDecoder.requestIdEncodingOffset(), ORDER);
    }

    /** Position of the entry's first token in its request's sequence. */
    public int start(final int entry)
    {
        return buffer.getInt(entries.at(entry) + RowsDecoder.startEncodingOffset(), ORDER);
    }

    public int tokenCount(final int entry)
    {
        return buffer.getInt(entries.at(entry) + RowsDecoder.tokenCountEncodingOffset(), ORDER);
    }

    /** Number of block table changes to apply before the step runs. */
    public int changeCount()
    {
        return changes.count;
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
            TableChangeKind.MATCHED.value();
    }

    /** Number of preempted requests: they released all their blocks before any other change. */
    public int preemptedCount()
    {
        return preempted.count;
    }

    public long preemptedRequestId(final int index)
    {
        return buffer.getLong(preempted.at(index) + PreemptedDecoder.requestIdEncodingOffset(), ORDER);
    }

    /** Blocks that the preempted request released. */
    public int releasedBlocks(final int index)
    {
        return buffer.getInt(preempted.at(index) + PreemptedDecoder.releasedBlocksEncodingOffset(), ORDER);
    }

    /** Number of requests that entered the batch with this step. */
    public int admittedCount()
    {
        return admitted.count;
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
        return evicted.count;
    }

    /** One repeating group of the message. */
    private static final class Part
    {
        private int base;
        private int blockLength;
        private int count;

        /** Returns the position behind the group. */
        private int wrap(final DirectBuffer buffer, final int offset, final int limit)
        {
            base = offset + GroupSizeEncodingDecoder.ENCODED_LENGTH;
            if (base > limit)
            {
                throw new IllegalArgumentException(
                    "a Schedule ends at byte " + limit + ", within the group that begins at byte " + offset);
            }
            blockLength = buffer.getShort(
                offset + GroupSizeEncodingDecoder.blockLengthEncodingOffset(), ORDER) & 0xFFFF;
            count = buffer.getInt(offset + GroupSizeEncodingDecoder.numInGroupEncodingOffset(), ORDER);
            if (count < 0 || count > MAX_COUNT || (long)count * blockLength > limit - base)
            {
                throw new IllegalArgumentException("a group of a Schedule at byte " + offset + " has " + count +
                    " entries of " + blockLength + " bytes, but the message ends at byte " + limit);
            }
            return base + count * blockLength;
        }

        private int at(final int index)
        {
            if (index < 0 || index >= count)
            {
                throw new IndexOutOfBoundsException("index " + index + " of " + count + " in a group of a Schedule");
            }
            return base + index * blockLength;
        }
    }
}
