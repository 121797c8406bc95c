// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.D2hCompleteDecoder.EntriesDecoder;
import io.signalbox.event.codec.D2hCompleteDecoder.ImpossibleRowsDecoder;
import io.signalbox.event.codec.D2hCompleteDecoder.LogprobsDecoder;
import io.signalbox.event.codec.D2hCompleteDecoder.TokensDecoder;
import io.signalbox.event.codec.RowForm;
import org.agrona.DirectBuffer;

/**
 * View of one {@code D2hComplete}: the results of one step. Its parts can be read in any order and repeatedly. Index
 * arguments are checked. A view is valid only while the call that received it runs; it allocates nothing.
 */
public final class CompletionView extends MessageView
{
    /** Bytes of an entry of a withheld token: its replacement, and the hash of the block that it fills. */
    public static final int WITHHELD_TOKEN_BYTES = Integer.BYTES + Long.BYTES;

    private static final String MESSAGE = "a D2hComplete";
    /** The parts behind the tokens, rows included, if all of them are empty. */
    private static final long[] NO_TAIL =
        ArrayBytes.emptyParts(2, ImpossibleRowsDecoder.sbeBlockLength(), LogprobsDecoder.sbeBlockLength());
    private static final int NO_TAIL_BYTES = 2 * Long.BYTES;

    private final D2hCompleteDecoder decoder = new D2hCompleteDecoder();
    private final MessagePart entries = new MessagePart(MESSAGE, EntriesDecoder.sbeBlockLength());
    private final MessagePart tokens = new MessagePart(MESSAGE, TokensDecoder.sbeBlockLength());
    private final MessagePart impossible = new MessagePart(MESSAGE, ImpossibleRowsDecoder.sbeBlockLength());
    private final MessagePart logprobs = new MessagePart(MESSAGE, LogprobsDecoder.sbeBlockLength());
    private boolean isLocated;
    private int rowsOffset;
    private int rowsLength;

    /**
     * Its parts are located when one of them is asked for: most readers of a {@code D2hComplete} read none.
     *
     * @param source has an array.
     * @param end    position behind the message.
     * @throws MessageFormatException if it has not all fields.
     */
    CompletionView wrap(
        final DirectBuffer source, final int bodyOffset, final int block, final int schemaVersion, final int end)
    {
        wrap(MESSAGE, D2hCompleteDecoder.BLOCK_LENGTH, source, bodyOffset, block, schemaVersion, end);
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
        int next = entries.wrap(bytes, body + blockLength, limit, shift);
        next = tokens.wrap(bytes, next, limit, shift);
        if (limit - next >= NO_TAIL_BYTES && ArrayBytes.getLong(bytes, next) == NO_TAIL[0] &&
            ArrayBytes.getLong(bytes, next + Long.BYTES) == NO_TAIL[1])
        {
            impossible.empty();
            logprobs.empty();
            rowsOffset = next + NO_TAIL_BYTES - shift;
            rowsLength = 0;
        }
        else
        {
            next = impossible.wrap(bytes, next, limit, shift);
            locateRows(logprobs.wrap(bytes, next, limit, shift));
        }
        isLocated = true;
    }

    private void locateRows(final int header)
    {
        final int first = header + D2hCompleteDecoder.rowsHeaderLength();
        rowsLength = first > limit ? -1 : ArrayBytes.getInt(bytes, header);
        if (rowsLength < 0 || rowsLength > limit - first)
        {
            throw new MessageFormatException(MESSAGE + " ends at byte " + (limit - shift) +
                ", within its routed-expert rows, which begin at byte " + (header - shift));
        }
        rowsOffset = first - shift;
    }

    /**
     * The message as a whole, for printing.
     *
     * @throws MessageFormatException if a part of the message leaves it.
     */
    D2hCompleteDecoder message()
    {
        located(entries);
        return decoder.wrap(buffer, body - shift, blockLength, version);
    }

    public long timeNanos()
    {
        return ArrayBytes.getLong(bytes, body + D2hCompleteDecoder.timeNanosEncodingOffset());
    }

    public long step()
    {
        return ArrayBytes.getLong(bytes, body + D2hCompleteDecoder.stepEncodingOffset());
    }

    public int epoch()
    {
        return ArrayBytes.getInt(bytes, body + D2hCompleteDecoder.epochEncodingOffset());
    }

    public int rank()
    {
        return ArrayBytes.getInt(bytes, body + D2hCompleteDecoder.rankEncodingOffset());
    }

    /** How long the device computed the step; 0 if that is not known. */
    public long computeNanos()
    {
        return ArrayBytes.getLong(bytes, body + D2hCompleteDecoder.computeNanosEncodingOffset());
    }

    /** Entries, in the batch order of the {@code Schedule}. */
    public int entryCount()
    {
        return located(entries).count();
    }

    /** Position of the first token that the entry fed. */
    public int start(final int entry)
    {
        return ArrayBytes.getInt(bytes, located(entries).at(entry) + EntriesDecoder.startEncodingOffset());
    }

    /** Tokens that the entry adds to its request: that many of {@link #token}, in batch order. */
    public int accepted(final int entry)
    {
        return bytes[located(entries).at(entry) + EntriesDecoder.acceptedEncodingOffset()] & 0xFF;
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
        int at = entries.base();
        long sum = 0;
        for (int entry = 0; entry < count; entry++)
        {
            final int tokensOfEntry = bytes[at + EntriesDecoder.acceptedEncodingOffset()] & 0xFF;
            starts[entry] = ArrayBytes.getInt(bytes, at + EntriesDecoder.startEncodingOffset());
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
        int at = tokens.base() + TokensDecoder.tokenIdEncodingOffset();
        int any = 0;
        for (int index = 0; index < count; index++)
        {
            final int token = ArrayBytes.getInt(bytes, at);
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
        return ArrayBytes.getInt(bytes, located(tokens).at(index) + TokensDecoder.tokenIdEncodingOffset());
    }

    /** Whether tokens are withheld, and each comes with the hash of the block that it fills. */
    public boolean hasBlockHashes()
    {
        return located(tokens).count() > 0 && tokens.stride() >= WITHHELD_TOKEN_BYTES;
    }

    /** Hash of the block that a withheld token fills; 0 if it fills none. */
    public long blockHash(final int index)
    {
        return ArrayBytes.getLong(bytes, located(tokens).at(index) + TokensDecoder.sbeBlockLength());
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
        return ArrayBytes.getInt(bytes, located(logprobs).at(index) + LogprobsDecoder.logprobEncodingOffset());
    }

    /** Rows that were refused: no expert router can have chosen their ids. They are marked as missing. */
    public int impossibleCount()
    {
        return located(impossible).count();
    }

    /** Index of such a row in the step. */
    public int impossibleRow(final int index)
    {
        return ArrayBytes.getInt(bytes, located(impossible).at(index) + ImpossibleRowsDecoder.rowEncodingOffset());
    }

    /** Routed-expert rows, one per token of the step; 0 if capture is off. */
    public int rowCount()
    {
        return ArrayBytes.getInt(bytes, body + D2hCompleteDecoder.rowCountEncodingOffset());
    }

    public int rowBytes()
    {
        return ArrayBytes.getInt(bytes, body + D2hCompleteDecoder.rowBytesEncodingOffset());
    }

    /** CRC32C over all rows. */
    public long rowsChecksum()
    {
        return ArrayBytes.getInt(bytes, body + D2hCompleteDecoder.rowsChecksumEncodingOffset()) & 0xFFFF_FFFFL;
    }

    /** Whether the rows are beside the message; also of a message whose form this version does not know. */
    public boolean isChunked()
    {
        return rawRowForm() == RowForm.CHUNKED.value();
    }

    public RowForm rowForm()
    {
        return RowForm.get(rawRowForm());
    }

    private short rawRowForm()
    {
        return (short)(bytes[body + D2hCompleteDecoder.rowFormEncodingOffset()] & 0xFF);
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
