// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.CommitDecoder;
import io.signalbox.event.codec.CommitDecoder.EntriesDecoder;
import io.signalbox.event.codec.CommitDecoder.LogprobsDecoder;
import io.signalbox.event.codec.CommitDecoder.RegisteredDecoder;
import io.signalbox.event.codec.CommitDecoder.SpansDecoder;
import io.signalbox.event.codec.CommitDecoder.TokensDecoder;
import io.signalbox.event.codec.EntryVerdict;
import io.signalbox.event.codec.Flag;
import org.agrona.DirectBuffer;

/**
 * View of one {@code Commit}: the outcome of one step. Its parts can be read in any order and repeatedly. Index arguments
 * are checked. A view is valid only while the call that received it runs; it allocates nothing.
 */
public final class CommitView extends MessageView
{
    /** Words of an entry that {@link #copyEntries} copies. */
    public static final int ENTRY_WORDS = 3;

    private static final String MESSAGE = "a Commit";
    /** The parts behind the tokens if all of them are empty, without the upper half of the last count, which is 0. */
    private static final long[] NO_TAIL = ArrayBytes.emptyParts(
        2, SpansDecoder.sbeBlockLength(), RegisteredDecoder.sbeBlockLength(), LogprobsDecoder.sbeBlockLength());
    private static final int NO_TAIL_BYTES = 2 * Long.BYTES + Short.BYTES;

    private final CommitDecoder decoder = new CommitDecoder();
    private final MessagePart entries = new MessagePart(MESSAGE, EntriesDecoder.sbeBlockLength());
    private final MessagePart tokens = new MessagePart(MESSAGE, TokensDecoder.sbeBlockLength());
    private final MessagePart spans = new MessagePart(MESSAGE, SpansDecoder.sbeBlockLength());
    private final MessagePart registered = new MessagePart(MESSAGE, RegisteredDecoder.sbeBlockLength());
    private final MessagePart logprobs = new MessagePart(MESSAGE, LogprobsDecoder.sbeBlockLength());
    private boolean isLocated;

    /**
     * Its parts are located when one of them is asked for: most readers of a {@code Commit} read none.
     *
     * @param source has an array.
     * @param end    position behind the message.
     * @throws MessageFormatException if it has not all fields.
     */
    CommitView wrap(final DirectBuffer source, final int bodyOffset, final int block, final int schemaVersion, final int end)
    {
        wrap(MESSAGE, CommitDecoder.BLOCK_LENGTH, source, bodyOffset, block, schemaVersion, end);
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
        int next = entries.wrap(bytes, body + blockLength, limit, shift);
        next = tokens.wrap(bytes, next, limit, shift);
        if (limit - next >= NO_TAIL_BYTES && ArrayBytes.getLong(bytes, next) == NO_TAIL[0] &&
            ArrayBytes.getLong(bytes, next + Long.BYTES) == NO_TAIL[1] &&
            ArrayBytes.getShort(bytes, next + 2 * Long.BYTES) == 0)
        {
            spans.empty();
            registered.empty();
            logprobs.empty();
        }
        else
        {
            next = spans.wrap(bytes, next, limit, shift);
            next = registered.wrap(bytes, next, limit, shift);
            logprobs.wrap(bytes, next, limit, shift);
        }
        isLocated = true;
    }

    /**
     * The message as a whole, for printing.
     *
     * @throws MessageFormatException if a part of the message leaves it.
     */
    CommitDecoder message()
    {
        located(entries);
        return decoder.wrap(buffer, body - shift, blockLength, version);
    }

    public long step()
    {
        return ArrayBytes.getLong(bytes, body + CommitDecoder.stepEncodingOffset());
    }

    public int epoch()
    {
        return ArrayBytes.getInt(bytes, body + CommitDecoder.epochEncodingOffset());
    }

    public int rank()
    {
        return ArrayBytes.getInt(bytes, body + CommitDecoder.rankEncodingOffset());
    }

    /** Rows for which the backend had no experts. */
    public int missingRows()
    {
        return ArrayBytes.getInt(bytes, body + CommitDecoder.missingRowsEncodingOffset());
    }

    /** Rows that were refused because no expert router can have chosen their ids. */
    public int impossibleRows()
    {
        return ArrayBytes.getInt(bytes, body + CommitDecoder.impossibleRowsEncodingOffset());
    }

    /** Entries, in batch order. */
    public int entryCount()
    {
        return located(entries).count();
    }

    /**
     * Copies all entries, {@link #ENTRY_WORDS} each, for a reader of every field: the request id, and {@link CommitWords}.
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
            words[word + 2] = ArrayBytes.getInt(bytes, at + 2 * Long.BYTES) & 0xFFFF_FFFFL;
            at += stride;
        }
    }

    public long requestId(final int entry)
    {
        return ArrayBytes.getLong(bytes, located(entries).at(entry) + EntriesDecoder.requestIdEncodingOffset());
    }

    /** Position of the first token that was fed. */
    public int start(final int entry)
    {
        return ArrayBytes.getInt(bytes, located(entries).at(entry) + EntriesDecoder.startEncodingOffset());
    }

    /** Tokens that count as computed from this commit on. */
    public int advance(final int entry)
    {
        return ArrayBytes.getInt(bytes, located(entries).at(entry) + EntriesDecoder.advanceEncodingOffset());
    }

    /** Draft tokens that the backend did not accept. */
    public int rejected(final int entry)
    {
        return bytes[located(entries).at(entry) + EntriesDecoder.rejectedEncodingOffset()] & 0xFF;
    }

    /** Accepted tokens behind the one at which the request stopped. */
    public int afterStop(final int entry)
    {
        return bytes[located(entries).at(entry) + EntriesDecoder.afterStopEncodingOffset()] & 0xFF;
    }

    /** Tokens of the entry that became visible: that many of {@link #token}, in batch order. */
    public int emitted(final int entry)
    {
        return bytes[located(entries).at(entry) + EntriesDecoder.emittedEncodingOffset()] & 0xFF;
    }

    public EntryVerdict verdict(final int entry)
    {
        final int verdict = bytes[located(entries).at(entry) + EntriesDecoder.verdictEncodingOffset()];
        return EntryVerdict.get((short)(verdict & 0xFF));
    }

    /** Tokens that became visible, of all entries together. */
    public int tokenCount()
    {
        return located(tokens).count();
    }

    public int token(final int index)
    {
        return ArrayBytes.getInt(bytes, located(tokens).at(index) + TokensDecoder.tokenIdEncodingOffset());
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
            Float.intBitsToFloat(
                ArrayBytes.getInt(bytes, located(logprobs).at(index) + LogprobsDecoder.logprobEncodingOffset()));
    }

    /** Runs of rows within one block; none if capture is off. */
    public int spanCount()
    {
        return located(spans).count();
    }

    /** Rows of the span that were stored. */
    public int keptRows(final int span)
    {
        return ArrayBytes.getInt(bytes, located(spans).at(span) + SpansDecoder.keptEncodingOffset());
    }

    /** Rows of the span that kept their first write. */
    public int alreadyThereRows(final int span)
    {
        return ArrayBytes.getInt(bytes, located(spans).at(span) + SpansDecoder.alreadyThereEncodingOffset());
    }

    public int spanBlockId(final int span)
    {
        return ArrayBytes.getInt(bytes, located(spans).at(span) + SpansDecoder.blockIdEncodingOffset());
    }

    /** First position of the span within its block. */
    public int spanOffset(final int span)
    {
        return ArrayBytes.getInt(bytes, located(spans).at(span) + SpansDecoder.offsetEncodingOffset());
    }

    /** Block hashes that can be matched from this commit on. */
    public int registeredCount()
    {
        return located(registered).count();
    }

    public long registeredHash(final int index)
    {
        return ArrayBytes.getLong(bytes, located(registered).at(index) + RegisteredDecoder.blockHashEncodingOffset());
    }

    public int registeredBlockId(final int index)
    {
        return ArrayBytes.getInt(bytes, located(registered).at(index) + RegisteredDecoder.blockIdEncodingOffset());
    }

    /** Whether decoding put a token into the block. */
    public boolean registeredGenerated(final int index)
    {
        final int generated = bytes[located(registered).at(index) + RegisteredDecoder.generatedEncodingOffset()];
        return generated == Flag.YES.value();
    }
}
