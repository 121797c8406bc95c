// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.CommitDecoder;
import io.signalbox.event.codec.CommitDecoder.EntriesDecoder;
import io.signalbox.event.codec.CommitDecoder.LogprobsDecoder;
import io.signalbox.event.codec.CommitDecoder.PartlyFilledDecoder;
import io.signalbox.event.codec.CommitDecoder.RegisteredDecoder;
import io.signalbox.event.codec.CommitDecoder.SpansDecoder;
import io.signalbox.event.codec.CommitDecoder.TokensDecoder;
import io.signalbox.event.codec.EntryVerdict;
import io.signalbox.event.codec.Flag;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;

/**
 * View of one {@code Commit}: the outcome of one step. Its parts can be read in any order and repeatedly. Index arguments
 * are checked. A view is valid only while the call that received it runs; it allocates nothing.
 */
public final class CommitView
{
    private static final ByteOrder ORDER = MessagePart.ORDER;
    private static final String MESSAGE = "a Commit";

    private final CommitDecoder decoder = new CommitDecoder();
    private final MessagePart entries = new MessagePart(MESSAGE);
    private final MessagePart tokens = new MessagePart(MESSAGE);
    private final MessagePart spans = new MessagePart(MESSAGE);
    private final MessagePart registered = new MessagePart(MESSAGE);
    private final MessagePart logprobs = new MessagePart(MESSAGE);
    private final MessagePart partlyFilled = new MessagePart(MESSAGE);
    private DirectBuffer buffer;

    /** @param limit position behind the message. */
    CommitView wrap(
        final DirectBuffer source, final int bodyOffset, final int blockLength, final int version, final int limit)
    {
        buffer = source;
        decoder.wrap(source, bodyOffset, blockLength, version);
        int next = bodyOffset + blockLength;
        next = entries.wrap(source, next, limit);
        next = tokens.wrap(source, next, limit);
        next = spans.wrap(source, next, limit);
        next = registered.wrap(source, next, limit);
        next = logprobs.wrap(source, next, limit);
        partlyFilled.wrap(source, next, limit);
        return this;
    }

    /** The message as a whole, for printing. */
    CommitDecoder message()
    {
        return decoder;
    }

    public long step()
    {
        return decoder.step();
    }

    public int epoch()
    {
        return decoder.epoch();
    }

    public int rank()
    {
        return decoder.rank();
    }

    /** Rows for which the backend had no experts. */
    public int missingRows()
    {
        return decoder.missingRows();
    }

    /** Rows that were refused because no expert router can have chosen their ids. */
    public int impossibleRows()
    {
        return decoder.impossibleRows();
    }

    /** Entries, in batch order. */
    public int entryCount()
    {
        return entries.count();
    }

    public long requestId(final int entry)
    {
        return buffer.getLong(entries.at(entry) + EntriesDecoder.requestIdEncodingOffset(), ORDER);
    }

    /** Position of the first token that was fed. */
    public int start(final int entry)
    {
        return buffer.getInt(entries.at(entry) + EntriesDecoder.startEncodingOffset(), ORDER);
    }

    /** Tokens that count as computed from this commit on. */
    public int advance(final int entry)
    {
        return buffer.getInt(entries.at(entry) + EntriesDecoder.advanceEncodingOffset(), ORDER);
    }

    /** Draft tokens that the backend did not accept. */
    public int rejected(final int entry)
    {
        return buffer.getByte(entries.at(entry) + EntriesDecoder.rejectedEncodingOffset()) & 0xFF;
    }

    /** Accepted tokens behind the one at which the request stopped. */
    public int afterStop(final int entry)
    {
        return buffer.getByte(entries.at(entry) + EntriesDecoder.afterStopEncodingOffset()) & 0xFF;
    }

    /** Tokens of the entry that became visible: that many of {@link #token}, in batch order. */
    public int emitted(final int entry)
    {
        return buffer.getByte(entries.at(entry) + EntriesDecoder.emittedEncodingOffset()) & 0xFF;
    }

    public EntryVerdict verdict(final int entry)
    {
        return EntryVerdict.get((short)(buffer.getByte(entries.at(entry) + EntriesDecoder.verdictEncodingOffset()) & 0xFF));
    }

    /** Tokens that became visible, of all entries together. */
    public int tokenCount()
    {
        return tokens.count();
    }

    public int token(final int index)
    {
        return buffer.getInt(tokens.at(index) + TokensDecoder.tokenIdEncodingOffset(), ORDER);
    }

    /** Log-probability of a visible token, or {@link Float#NaN} if the backend reported none. */
    public float logprob(final int index)
    {
        return logprobs.count() == 0 ? Float.NaN :
            buffer.getFloat(logprobs.at(index) + LogprobsDecoder.logprobEncodingOffset(), ORDER);
    }

    /** Runs of rows within one block; none if capture is off. */
    public int spanCount()
    {
        return spans.count();
    }

    /** Rows of the span that were stored. */
    public int keptRows(final int span)
    {
        return buffer.getInt(spans.at(span) + SpansDecoder.keptEncodingOffset(), ORDER);
    }

    /** Rows of the span that kept their first write. */
    public int alreadyThereRows(final int span)
    {
        return buffer.getInt(spans.at(span) + SpansDecoder.alreadyThereEncodingOffset(), ORDER);
    }

    public int spanBlockId(final int span)
    {
        return buffer.getInt(spans.at(span) + SpansDecoder.blockIdEncodingOffset(), ORDER);
    }

    /** First position of the span within its block. */
    public int spanOffset(final int span)
    {
        return buffer.getInt(spans.at(span) + SpansDecoder.offsetEncodingOffset(), ORDER);
    }

    /** Block hashes that can be matched from this commit on. */
    public int registeredCount()
    {
        return registered.count();
    }

    public long registeredHash(final int index)
    {
        return buffer.getLong(registered.at(index) + RegisteredDecoder.blockHashEncodingOffset(), ORDER);
    }

    public int registeredBlockId(final int index)
    {
        return buffer.getInt(registered.at(index) + RegisteredDecoder.blockIdEncodingOffset(), ORDER);
    }

    /** Whether decoding put a token into the block. */
    public boolean registeredGenerated(final int index)
    {
        return buffer.getByte(registered.at(index) + RegisteredDecoder.generatedEncodingOffset()) == Flag.YES.value();
    }

    /** Last blocks of requests that end with this commit, kept so that others can copy from them. */
    public int partlyFilledCount()
    {
        return partlyFilled.count();
    }

    public long partlyFilledHash(final int index)
    {
        return buffer.getLong(partlyFilled.at(index) + PartlyFilledDecoder.blockHashEncodingOffset(), ORDER);
    }

    public int partlyFilledBlockId(final int index)
    {
        return buffer.getInt(partlyFilled.at(index) + PartlyFilledDecoder.blockIdEncodingOffset(), ORDER);
    }

    /** Tokens of the block that are computed. */
    public int partlyFilledTokens(final int index)
    {
        return buffer.getInt(partlyFilled.at(index) + PartlyFilledDecoder.tokensEncodingOffset(), ORDER);
    }
}
