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

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * View of one {@code Commit}: the outcome of one step. Its parts can be read in any order and repeatedly. Index arguments
 * are checked. A view is valid only while the call that received it runs; it allocates nothing.
 */
public final class CommitView
{
    /** Words of an entry that {@link #copyEntries} copies. */
    public static final int ENTRY_WORDS = 3;

    private static final ByteOrder ORDER = MessagePart.ORDER;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ORDER);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ORDER);
    private static final String MESSAGE = "a Commit";

    private final CommitDecoder decoder = new CommitDecoder();
    private final MessagePart entries = new MessagePart(MESSAGE);
    private final MessagePart tokens = new MessagePart(MESSAGE);
    private final MessagePart spans = new MessagePart(MESSAGE);
    private final MessagePart registered = new MessagePart(MESSAGE);
    private final MessagePart logprobs = new MessagePart(MESSAGE);
    private final MessagePart partlyFilled = new MessagePart(MESSAGE);
    private DirectBuffer buffer;
    private int partsOffset;
    private int partsLimit;
    private boolean isLocated;

    /**
     * Its parts are located when one of them is asked for: most readers of a {@code Commit} read none.
     *
     * @param limit position behind the message.
     */
    CommitView wrap(
        final DirectBuffer source, final int bodyOffset, final int blockLength, final int version, final int limit)
    {
        buffer = source;
        decoder.wrap(source, bodyOffset, blockLength, version);
        partsOffset = bodyOffset + blockLength;
        partsLimit = limit;
        isLocated = false;
        return this;
    }

    private MessagePart located(final MessagePart part)
    {
        if (!isLocated)
        {
            locate();
        }
        return part;
    }

    private void locate()
    {
        int next = entries.wrap(buffer, partsOffset, partsLimit);
        next = tokens.wrap(buffer, next, partsLimit);
        next = spans.wrap(buffer, next, partsLimit);
        next = registered.wrap(buffer, next, partsLimit);
        next = logprobs.wrap(buffer, next, partsLimit);
        partlyFilled.wrap(buffer, next, partsLimit);
        isLocated = true;
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
        return located(entries).count();
    }

    /**
     * Copies all entries as the schema lays them out, {@link #ENTRY_WORDS} each, for a reader of every field:
     *
     * <pre>
     *   0   request id
     *   1   start (32 bits), advance (32)
     *   2   rejected (8), after the stop (8), emitted (8), verdict (8)
     * </pre>
     *
     * @param words holds at least {@link #entryCount()} times as many words.
     */
    public void copyEntries(final long[] words)
    {
        final int end = entryCount() * ENTRY_WORDS;
        final byte[] bytes = entries.bytes(buffer);
        final int stride = entries.stride();
        int at = entries.firstByte();
        for (int word = 0; word < end; word += ENTRY_WORDS)
        {
            words[word] = (long)LONGS.get(bytes, at);
            words[word + 1] = (long)LONGS.get(bytes, at + Long.BYTES);
            words[word + 2] = (int)INTS.get(bytes, at + 2 * Long.BYTES) & 0xFFFF_FFFFL;
            at += stride;
        }
    }

    public long requestId(final int entry)
    {
        return buffer.getLong(located(entries).at(entry) + EntriesDecoder.requestIdEncodingOffset(), ORDER);
    }

    /** Position of the first token that was fed. */
    public int start(final int entry)
    {
        return buffer.getInt(located(entries).at(entry) + EntriesDecoder.startEncodingOffset(), ORDER);
    }

    /** Tokens that count as computed from this commit on. */
    public int advance(final int entry)
    {
        return buffer.getInt(located(entries).at(entry) + EntriesDecoder.advanceEncodingOffset(), ORDER);
    }

    /** Draft tokens that the backend did not accept. */
    public int rejected(final int entry)
    {
        return buffer.getByte(located(entries).at(entry) + EntriesDecoder.rejectedEncodingOffset()) & 0xFF;
    }

    /** Accepted tokens behind the one at which the request stopped. */
    public int afterStop(final int entry)
    {
        return buffer.getByte(located(entries).at(entry) + EntriesDecoder.afterStopEncodingOffset()) & 0xFF;
    }

    /** Tokens of the entry that became visible: that many of {@link #token}, in batch order. */
    public int emitted(final int entry)
    {
        return buffer.getByte(located(entries).at(entry) + EntriesDecoder.emittedEncodingOffset()) & 0xFF;
    }

    public EntryVerdict verdict(final int entry)
    {
        final int verdict = buffer.getByte(located(entries).at(entry) + EntriesDecoder.verdictEncodingOffset());
        return EntryVerdict.get((short)(verdict & 0xFF));
    }

    /** Tokens that became visible, of all entries together. */
    public int tokenCount()
    {
        return located(tokens).count();
    }

    public int token(final int index)
    {
        return buffer.getInt(located(tokens).at(index) + TokensDecoder.tokenIdEncodingOffset(), ORDER);
    }

    /** Whether the step reported log-probabilities of sampled tokens. */
    public boolean hasLogprobs()
    {
        return located(logprobs).count() > 0;
    }

    /** Log-probability of a visible token, or {@link Float#NaN} if the backend reported none. */
    public float logprob(final int index)
    {
        return located(logprobs).count() == 0 ? Float.NaN :
            buffer.getFloat(located(logprobs).at(index) + LogprobsDecoder.logprobEncodingOffset(), ORDER);
    }

    /** Runs of rows within one block; none if capture is off. */
    public int spanCount()
    {
        return located(spans).count();
    }

    /** Rows of the span that were stored. */
    public int keptRows(final int span)
    {
        return buffer.getInt(located(spans).at(span) + SpansDecoder.keptEncodingOffset(), ORDER);
    }

    /** Rows of the span that kept their first write. */
    public int alreadyThereRows(final int span)
    {
        return buffer.getInt(located(spans).at(span) + SpansDecoder.alreadyThereEncodingOffset(), ORDER);
    }

    public int spanBlockId(final int span)
    {
        return buffer.getInt(located(spans).at(span) + SpansDecoder.blockIdEncodingOffset(), ORDER);
    }

    /** First position of the span within its block. */
    public int spanOffset(final int span)
    {
        return buffer.getInt(located(spans).at(span) + SpansDecoder.offsetEncodingOffset(), ORDER);
    }

    /** Block hashes that can be matched from this commit on. */
    public int registeredCount()
    {
        return located(registered).count();
    }

    public long registeredHash(final int index)
    {
        return buffer.getLong(located(registered).at(index) + RegisteredDecoder.blockHashEncodingOffset(), ORDER);
    }

    public int registeredBlockId(final int index)
    {
        return buffer.getInt(located(registered).at(index) + RegisteredDecoder.blockIdEncodingOffset(), ORDER);
    }

    /** Whether decoding put a token into the block. */
    public boolean registeredGenerated(final int index)
    {
        final int generated = buffer.getByte(located(registered).at(index) + RegisteredDecoder.generatedEncodingOffset());
        return generated == Flag.YES.value();
    }

    /** Last blocks of requests that end with this commit, kept so that others can copy from them. */
    public int partlyFilledCount()
    {
        return located(partlyFilled).count();
    }

    public long partlyFilledHash(final int index)
    {
        return buffer.getLong(located(partlyFilled).at(index) + PartlyFilledDecoder.blockHashEncodingOffset(), ORDER);
    }

    public int partlyFilledBlockId(final int index)
    {
        return buffer.getInt(located(partlyFilled).at(index) + PartlyFilledDecoder.blockIdEncodingOffset(), ORDER);
    }

    /** Tokens of the block that are computed. */
    public int partlyFilledTokens(final int index)
    {
        return buffer.getInt(located(partlyFilled).at(index) + PartlyFilledDecoder.tokensEncodingOffset(), ORDER);
    }
}
