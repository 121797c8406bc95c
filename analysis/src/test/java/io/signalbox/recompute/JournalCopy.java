// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.event.CompletionView;
import io.signalbox.event.EventReader;
import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.JournalWriter;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.nio.file.Path;

/** Writes a journal again, sound in itself, with one result of one step changed. */
final class JournalCopy
{
    /** Changes the result of the step, in place. */
    interface Change
    {
        /**
         * @param message holds the completion from the position on that {@code decoder} has.
         * @param rows    holds its rows from {@code rowsAt} on.
         */
        void apply(
            CompletionView completion, D2hCompleteDecoder decoder, MutableDirectBuffer message, MutableDirectBuffer rows,
            int rowsAt);
    }

    /** The completion of the wanted step, if the group has it. */
    private static final class Search extends EventReader
    {
        private final int rank;
        private final long step;
        private final Change change;
        private MutableDirectBuffer group;
        private MutableDirectBuffer rows;

        private Search(final int rank, final long step, final Change change)
        {
            this.rank = rank;
            this.step = step;
            this.change = change;
        }

        @Override
        protected void onD2hComplete(final CompletionView completion)
        {
            if (completion.rank() == rank && completion.step() == step)
            {
                final D2hCompleteDecoder decoder =
                    new D2hCompleteDecoder().wrapAndApplyHeader(group, Integer.BYTES, new MessageHeaderDecoder());
                final boolean isInline = rows == null;
                change.apply(
                    completion, decoder, group, isInline ? group : rows, isInline ? completion.rowsOffset() : 0);
            }
        }
    }

    private JournalCopy()
    {
    }

    static void write(final Path from, final Path to, final int rank, final long step, final Change change)
    {
        final Search search = new Search(rank, step, change);
        try (JournalReader reader = JournalReader.open(from);
            JournalWriter writer = JournalWriter.create(to, reader.settings(), JournalConfig.of(Durability.PROCESS)))
        {
            while (reader.next())
            {
                final MutableDirectBuffer group = copy(reader.group(), reader.groupLength());
                final MutableDirectBuffer rows =
                    reader.rows() == null ? null : copy(reader.rows(), reader.rowsLength());
                search.group = group;
                search.rows = rows;
                search.readInput(group, 0, group.capacity());
                final D2hCompleteDecoder input = new D2hCompleteDecoder().wrap(
                    group, Integer.BYTES + MessageHeaderDecoder.ENCODED_LENGTH, D2hCompleteDecoder.BLOCK_LENGTH, 0);
                writer.append(reader.timeNanos(), group, 0, group.capacity(),
                    rows == null ? null : new Slice(rows, input.rowCount(), input.rowBytes()));
            }
        }
    }

    private static MutableDirectBuffer copy(final DirectBuffer source, final int length)
    {
        final byte[] bytes = new byte[length];
        source.getBytes(0, bytes);
        return new UnsafeBuffer(bytes);
    }

    /** Replaces the first sampled token. */
    static void otherToken(
        final CompletionView completion, final D2hCompleteDecoder decoder, final MutableDirectBuffer message)
    {
        final int token = completion.token(0);
        decoder.entries().forEach(entry ->
        {
        });
        decoder.tokens().next();
        message.putInt(decoder.limit() - Integer.BYTES, token ^ 1, ByteOrder.LITTLE_ENDIAN);
    }

    private record Slice(MutableDirectBuffer buffer, int rowCount, int rowBytes) implements CaptureSlice
    {
        @Override
        public int offset()
        {
            return 0;
        }

        @Override
        public void release()
        {
            // The buffer belongs to the copy.
        }
    }
}
