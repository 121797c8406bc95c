// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.D2hCompleteDecoder.EntriesDecoder;
import io.signalbox.event.codec.D2hCompleteDecoder.ImpossibleRowsDecoder;
import io.signalbox.event.codec.D2hCompleteDecoder.LogprobsDecoder;
import io.signalbox.event.codec.D2hCompleteDecoder.TokensDecoder;
import io.signalbox.event.codec.RowForm;
import org.agrona.DirectBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * View of one {@code D2hComplete}: the results of one step. Its parts can be read in any order and repeatedly. Index
 * arguments are checked. A view is valid only while the call that received it runs; it allocates nothing.
 */
public final class CompletionView
{
    /** Bytes of an entry of a withheld token: its replacement, and the hash of the block that it fills. */
    public static final int WITHHELD_TOKEN_BYTES = Integer.BYTES + Long.BYTES;

    private static final ByteOrder ORDER = MessagePart.ORDER;
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ORDER);
    private static final String MESSAGE = "a D2hComplete";

    private final D2hCompleteDecoder decoder = new D2hCompleteDecoder();
    private final MessagePart entries = new MessagePart(MESSAGE);
    private final MessagePart tokens = new MessagePart(MESSAGE);
    private final MessagePart impossible = new MessagePart(MESSAGE);
    private final MessagePart logprobs = new MessagePart(MESSAGE);
    private DirectBuffer buffer;
    private int partsOffset;
    private int partsLimit;
    private boolean isLocated;
    private int rowsOffset;
    private int rowsLength;

    /**
     * Its parts are located when one of them is asked for: most readers of a {@code D2hComplete} read none.
     *
     * @param limit position behind the message.
     */
    CompletionView wrap(
        final DirectBuffer source, final int bodyOffset, final int blockLength, final int version, final int limit)
    {
        buffer = source;
        decoder.wrap(source, bodyOffset, blockLength, version);
        partsOffset = bodyOffset + blockLength;
        partsLimit = limit;
        isLocated = false;
        return this;
    }

    /** @throws MessageFormatException if a part of the message leaves it; else the first read of a part throws it. */
    public CompletionView checked()
    {
        located(entries);
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
        next = impossible.wrap(buffer, next, partsLimit);
        next = logprobs.wrap(buffer, next, partsLimit);
        rowsOffset = next + D2hCompleteDecoder.rowsHeaderLength();
        rowsLength = rowsOffset > partsLimit ? -1 : buffer.getInt(next, ORDER);
        if (rowsLength < 0 || rowsLength > partsLimit - rowsOffset)
        {
            throw new MessageFormatException(
                MESSAGE + " ends at byte " + partsLimit + ", within its routed-expert rows, which begin at byte " + next);
        }
        isLocated = true;
    }

    /** The message as a whole, for printing. */
    D2hCompleteDecoder message()
    {
        return decoder;
    }

    public long timeNanos()
    {
        return decoder.timeNanos();
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

    /** How long the device computed the step; 0 if that is not known. */
    public long computeNanos()
    {
        return decoder.computeNanos();
    }

    /** Entries, in the batch order of the {@code Schedule}. */
    public int entryCount()
    {
        return located(entries).count();
    }

    /** Position of the first token that the entry fed. */
    public int start(final int entry)
    {
        return buffer.getInt(located(entries).at(entry) + EntriesDecoder.startEncodingOffset(), ORDER);
    }

    /** Tokens that the entry adds to its request: that many of {@link #token}, in batch order. */
    public int accepted(final int entry)
    {
        return buffer.getByte(located(entries).at(entry) + EntriesDecoder.acceptedEncodingOffset()) & 0xFF;
    }

    /**
     * Copies {@link #start} and {@link #accepted} of every entry.
     *
     * @return the sum of the accepted tokens.
     */
    public long copyEntries(final int[] starts, final int[] accepted)
    {
        final int count = located(entries).count();
        final int stride = entries.stride();
        final byte[] bytes = entries.bytes(buffer);
        int at = entries.firstByte();
        long sum = 0;
        for (int entry = 0; entry < count; entry++)
        {
            final int tokensOfEntry = bytes[at + EntriesDecoder.acceptedEncodingOffset()] & 0xFF;
            starts[entry] = (int)INTS.get(bytes, at + EntriesDecoder.startEncodingOffset());
            accepted[entry] = tokensOfEntry;
            sum += tokensOfEntry;
            at += stride;
        }
        return sum;
    }

    /**
     * Copies every {@link #token}.
     *
     * @return all of them, OR-ed: negative if one of them is.
     */
    public int copyTokens(final int[] copies)
    {
        final int count = located(tokens).count();
        final int stride = tokens.stride();
        final byte[] bytes = tokens.bytes(buffer);
        int at = tokens.firstByte() + TokensDecoder.tokenIdEncodingOffset();
        int any = 0;
        for (int index = 0; index < count; index++)
        {
            final int token = (int)INTS.get(bytes, at);
            copies[index] = token;
            any |= token;
            at += stride;
        }
        return any;
    }

    /** Accepted tokens of all entries. */
    public int tokenCount()
    {
        return located(tokens).count();
    }

    public int token(final int index)
    {
        return buffer.getInt(located(tokens).at(index) + TokensDecoder.tokenIdEncodingOffset(), ORDER);
    }

    /** Whether tokens are withheld, and each comes with the hash of the block that it fills. */
    public boolean hasBlockHashes()
    {
        return located(tokens).count() > 0 && tokens.stride() >= WITHHELD_TOKEN_BYTES;
    }

    /** Hash of the block that a withheld token fills; 0 if it fills none. */
    public long blockHash(final int index)
    {
        return buffer.getLong(located(tokens).at(index) + TokensDecoder.sbeBlockLength(), ORDER);
    }

    /** Whether there is a log-probability for each accepted token. */
    public boolean hasLogprobs()
    {
        return located(logprobs).count() > 0;
    }

    public int logprobCount()
    {
        return located(logprobs).count();
    }

    /** Log-probability of a token as the bits of a float; NaN if it is not known. */
    public int logprobBits(final int index)
    {
        return buffer.getInt(located(logprobs).at(index) + LogprobsDecoder.logprobEncodingOffset(), ORDER);
    }

    /** Rows that were refused: no expert router can have chosen their ids. They are marked as missing. */
    public int impossibleCount()
    {
        return located(impossible).count();
    }

    /** Index of such a row in the step. */
    public int impossibleRow(final int index)
    {
        return buffer.getInt(located(impossible).at(index) + ImpossibleRowsDecoder.rowEncodingOffset(), ORDER);
    }

    /** Routed-expert rows, one per token of the step; 0 if capture is off. */
    public int rowCount()
    {
        return decoder.rowCount();
    }

    public int rowBytes()
    {
        return decoder.rowBytes();
    }

    /** CRC32C over all rows. */
    public long rowsChecksum()
    {
        return decoder.rowsChecksum();
    }

    /** Whether the rows are beside the message; also of a message whose form this version does not know. */
    public boolean isChunked()
    {
        return decoder.rowFormRaw() == RowForm.CHUNKED.value();
    }

    public RowForm rowForm()
    {
        return decoder.rowForm();
    }

    /** Holds the rows from {@link #rowsOffset} if their form is INLINE. */
    public DirectBuffer buffer()
    {
        return buffer;
    }

    public int rowsOffset()
    {
        located(entries);
        return rowsOffset;
    }

    /** Bytes of rows within the message. */
    public int rowsLength()
    {
        located(entries);
        return rowsLength;
    }
}
