// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.CommitView;
import io.signalbox.event.CompletionView;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupReader;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.scheduler.WithheldTokens;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.sbe.MessageDecoderFlyweight;

import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Encodes the input of each group without tokens: a prompt's are left out, a sampled one becomes {@link #STOP},
 * {@link #OTHER} or {@link #NEGATIVE}, block hashes become keyed hashes, cache keys and notes become pseudonyms, and the
 * text of a backend about a fault is left out. The outputs of the group show which tokens became visible, and so which
 * blocks they fill.
 */
final class WithheldInputs
{
    /** Replaces a token that ends its request; also replaces all stop tokens of a request. */
    static final int STOP = 0;
    static final int OTHER = 1;
    /** In the place of a number that is no token. */
    static final int NEGATIVE = -1;
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    private static final int HEADER = MessageHeaderDecoder.ENCODED_LENGTH;
    /** A chain that a scheduler refuses as malformed. */
    private static final int MALFORMED_CHAIN_BYTES = 3;
    private static final int GROUP_HEADER = 6;
    private static final int NAN = Float.floatToIntBits(Float.NaN);

    private final ExpandableArrayBuffer encoded = new ExpandableArrayBuffer(4096);
    private final LiveTokens live;
    private final TokenKey key;
    private final Outcome outcome = new Outcome();
    private final Input input = new Input();
    private final GroupReader messages = new GroupReader();
    private int length;

    WithheldInputs(final LiveTokens live, final TokenKey key)
    {
        this.live = live;
        this.key = key;
    }

    /** Encodes the input of a group into {@link #buffer()}; returns its length. */
    int encode(final DirectBuffer group, final int offset, final int groupLength)
    {
        outcome.reset(groupLength);
        outcome.readGroup(group, offset, groupLength);
        messages.wrap(group, offset, groupLength).next();
        input.readInput(group, offset, groupLength);
        outcome.finish();
        return length;
    }

    DirectBuffer buffer()
    {
        return encoded;
    }

    /** Facts of the input that only the group's outputs have. */
    private final class Outcome extends EventReader
    {
        private boolean accepted;
        private boolean malformed;
        private int entries;
        private long[] requests = new long[16];
        private int[] emitted = new int[16];
        private long[] ended = new long[16];
        private int endedCount;
        private int mostEntries;

        private void reset(final int groupLength)
        {
            mostEntries = groupLength;
            accepted = false;
            malformed = false;
            entries = 0;
            endedCount = 0;
        }

        @Override
        protected void onAccepted(final AcceptedDecoder message)
        {
            accepted = true;
        }

        @Override
        protected void onRefused(final RefusedDecoder message)
        {
            malformed = message.reason() == RefusalReason.MALFORMED;
        }

        @Override
        protected void onCommit(final CommitView commit)
        {
            entries = commit.entryCount();
            if (entries < 0 || entries > mostEntries)
            {
                throw new IllegalArgumentException(entries + " entries do not fit their group");
            }
            if (entries > requests.length)
            {
                requests = new long[2 * entries];
                emitted = new int[2 * entries];
            }
            for (int entry = 0; entry < entries; entry++)
            {
                requests[entry] = commit.requestId(entry);
                emitted[entry] = commit.emitted(entry);
            }
        }

        @Override
        protected void onFree(final FreeDecoder message)
        {
            if (endedCount == ended.length)
            {
                ended = Arrays.copyOf(ended, 2 * endedCount);
            }
            ended[endedCount++] = message.requestId();
        }

        /** A request is live while the input that ends it is encoded. */
        private void finish()
        {
            for (int i = 0; i < endedCount; i++)
            {
                live.end(ended[i]);
            }
        }
    }

    private final class Input extends EventReader
    {
        @Override
        protected void onSubmit(final SubmitDecoder submit)
        {
            encodeSubmit(submit);
        }

        @Override
        protected void onD2hComplete(final CompletionView completion)
        {
            encodeCompletion(completion);
        }

        @Override
        protected void onBackendFault(final BackendFaultDecoder fault)
        {
            begin(fault.sbeBlockLength());
            putInt(0);
        }

        @Override
        protected void onControl(final ControlDecoder control)
        {
            begin(control.sbeBlockLength());
            final int noteBytes = control.noteLength();
            putName(control.buffer(), control.limit() + ControlDecoder.noteHeaderLength(), noteBytes);
        }

        @Override
        protected void onOther(final MessageDecoderFlyweight message)
        {
            begin(messages.messageLength() - HEADER);
        }
    }

    /** Copies the header, and so many bytes behind it. */
    private void begin(final int bytes)
    {
        length = 0;
        copy(messages.buffer(), messages.offset(), HEADER + bytes);
    }

    private void copy(final DirectBuffer source, final int from, final int bytes)
    {
        // Ahead of the copy, which makes room first.
        source.boundsCheck(from, bytes);
        encoded.putBytes(length, source, from, bytes);
        length += bytes;
    }

    private void putInt(final int value)
    {
        encoded.putInt(length, value, ORDER);
        length += Integer.BYTES;
    }

    private void encodeSubmit(final SubmitDecoder submit)
    {
        begin(submit.sbeBlockLength());
        final long requestId = submit.requestId();
        if (outcome.accepted)
        {
            live.begin(submit);
        }
        final DirectBuffer buffer = submit.buffer();
        final int hashBytes = submit.blockHashesLength();
        putInt(hashBytes);
        final int hashesAt = submit.limit() + SubmitDecoder.blockHashesHeaderLength();
        buffer.boundsCheck(hashesAt, hashBytes);
        for (int i = 0; i + Long.BYTES <= hashBytes; i += Long.BYTES)
        {
            final long hash = buffer.getLong(hashesAt + i, ORDER);
            // A hash that is not positive makes the Submit malformed, whatever its value.
            encoded.putLong(length + i, hash <= 0 ? 0 : key.hash(hash), ORDER);
        }
        encoded.setMemory(length + hashBytes / Long.BYTES * Long.BYTES, hashBytes % Long.BYTES, (byte)0);
        length += hashBytes;
        submit.skipBlockHashes();
        final int nameBytes = submit.cacheKeyLength();
        putName(buffer, submit.limit() + SubmitDecoder.cacheKeyHeaderLength(), nameBytes);
        putInt(0);
        putForm(requestId);
        submit.skipCacheKey();
        submit.skipTokens();
        submit.skipHashChain();
        putStopTokens(submit.stopTokensLength());
    }

    /** {@link #STOP} replaces all stop tokens. */
    private void putStopTokens(final int bytes)
    {
        putInt(bytes == 0 ? 0 : Integer.BYTES);
        if (bytes > 0)
        {
            putInt(STOP);
        }
    }

    /** A text of a client or an operator becomes a pseudonym; an empty text stays empty. */
    private void putName(final DirectBuffer source, final int at, final int bytes)
    {
        // Check before the allocation of the array, which a forged length would make too large.
        source.boundsCheck(at, bytes);
        final byte[] name = new byte[bytes];
        source.getBytes(at, name);
        final byte[] put = name.length == 0 ? name : key.pseudonym(name).getBytes(StandardCharsets.US_ASCII);
        putInt(put.length);
        encoded.putBytes(length, put);
        length += put.length;
    }

    /** Replaces the hash chain. */
    private void putForm(final long requestId)
    {
        final int bytes = outcome.malformed ? MALFORMED_CHAIN_BYTES : 1;
        putInt(bytes);
        encoded.setMemory(length, bytes, (byte)0);
        if (!outcome.malformed)
        {
            encoded.putByte(length, outcome.accepted && live.continues(requestId) ? WithheldTokens.CONTINUES : 0);
        }
        length += bytes;
    }

    private void encodeCompletion(final CompletionView completion)
    {
        final DirectBuffer source = completion.buffer();
        int at = messages.offset() + HEADER + D2hCompleteDecoder.BLOCK_LENGTH;
        begin(D2hCompleteDecoder.BLOCK_LENGTH);
        at = copyGroup(source, at);
        at += groupBytes(source, at);
        putTokens(completion);
        at = copyGroup(source, at);
        final int logprobs = length;
        at = copyGroup(source, at);
        for (int i = 0; i < completion.logprobCount(); i++)
        {
            encoded.putInt(logprobs + GROUP_HEADER + i * Float.BYTES, NAN, ORDER);
        }
        copy(source, at, D2hCompleteDecoder.rowsHeaderLength() + completion.rowsLength());
    }

    private static int groupBytes(final DirectBuffer source, final int at)
    {
        final int entry = source.getShort(at, ORDER) & 0xFFFF;
        final int count = source.getInt(at + Short.BYTES, ORDER);
        final long bytes = GROUP_HEADER + (long)entry * count;
        // Entries without a byte would be as many as the number says.
        if (count < 0 || count > 0 && entry < Byte.BYTES || at + bytes > source.capacity())
        {
            throw new IllegalArgumentException(count + " entries of " + entry + " bytes do not fit their message");
        }
        return (int)bytes;
    }

    /** Returns the position behind the group. */
    private int copyGroup(final DirectBuffer source, final int at)
    {
        final int bytes = groupBytes(source, at);
        copy(source, at, bytes);
        return at + bytes;
    }

    private void putTokens(final CompletionView completion)
    {
        encoded.putShort(length, (short)CompletionView.WITHHELD_TOKEN_BYTES, ORDER);
        encoded.putInt(length + Short.BYTES, completion.tokenCount(), ORDER);
        length += GROUP_HEADER;
        int index = 0;
        for (int entry = 0; entry < completion.entryCount() && index < completion.tokenCount(); entry++)
        {
            final int visible = entry < outcome.entries ? outcome.emitted[entry] : 0;
            for (int i = 0; i < completion.accepted(entry) && index < completion.tokenCount(); i++)
            {
                putToken(completion.token(index++), i < visible, entry);
            }
        }
        while (index < completion.tokenCount())
        {
            putToken(completion.token(index++), false, 0);
        }
    }

    private void putToken(final int token, final boolean visible, final int entry)
    {
        final boolean stops = visible && live.stops(outcome.requests[entry], token);
        final long filled = visible ? live.emitted(outcome.requests[entry], token) : 0;
        putInt(token < 0 ? NEGATIVE : stops ? STOP : OTHER);
        encoded.putLong(length, filled == 0 ? 0 : key.hash(filled), ORDER);
        length += Long.BYTES;
    }
}
