// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.CommitView;
import io.signalbox.event.CompletionView;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.state.FoldedState;
import io.signalbox.state.RunFold;
import io.signalbox.state.StateCodec;
import io.signalbox.state.StateFold;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.sbe.MessageDecoderFlyweight;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A later version of the schema adds fields at the end of a message's block and of its entries. Readers of this version skip
 * them: golden journals are read with longer blocks and entries, and every field and the encoded folded state stay the same.
 */
final class LaterFieldsTest
{
    private static final Pattern MESSAGE =
        Pattern.compile("(?s)<sbe:message name=\"\\w+\" id=\"(\\d+)\"(.*?)</sbe:message>");
    private static final Path SCHEMA = Path.of(System.getProperty("signalbox.root"), "scheduler/src/main/sbe/signalbox.xml");
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    private static final int ENTRIES_HEADER = 6;
    private static final int BLOCK_BYTES = 12;
    private static final int ENTRY_BYTES = 5;

    @TempDir
    private Path directory;
    /** Repeating groups by template id. */
    private final Map<Integer, Integer> repeating = new HashMap<>();
    /** Template ids of the messages that were compared. */
    private final Set<Integer> seen = new TreeSet<>();
    private final ExpandableArrayBuffer longer = new ExpandableArrayBuffer();
    private int length;

    /** Every field of each message, as text. */
    private static final class Texts extends EventReader
    {
        private final List<String> texts = new ArrayList<>();
        private final Set<Integer> templates = new TreeSet<>();

        @Override
        protected void onOther(final MessageDecoderFlyweight message)
        {
            templates.add(message.sbeTemplateId());
            texts.add(message.toString().replaceFirst("\\(sbeTemplateId=[^)]*\\)", ""));
        }

        @Override
        protected void onSchedule(final StepView step)
        {
            final long[] words = new long[step.entryCount() * StepView.ENTRY_WORDS];
            step.copyEntries(words);
            super.onSchedule(step);
            texts.add(Arrays.toString(words));
        }

        @Override
        protected void onCommit(final CommitView commit)
        {
            super.onCommit(commit);
            for (int entry = 0; entry < commit.entryCount(); entry++)
            {
                texts.add(commit.requestId(entry) + " " + commit.emitted(entry));
            }
        }

        @Override
        protected void onD2hComplete(final CompletionView completion)
        {
            super.onD2hComplete(completion);
            texts.add(completion.step() + " " + completion.rowCount() + " " + completion.rowsChecksum());
        }
    }

    private void put(final DirectBuffer from, final int offset, final int count)
    {
        longer.putBytes(length, from, offset, count);
        length += count;
    }

    private void putLater(final int count)
    {
        longer.setMemory(length, count, (byte)0x5A);
        length += count;
    }

    private void lengthen(final DirectBuffer group, final int groupLength)
    {
        final GroupReader messages = new GroupReader().wrap(group, 0, groupLength);
        length = 0;
        while (messages.next())
        {
            final int start = length;
            length += GroupWriter.LENGTH_BYTES;
            lengthen(messages);
            longer.putInt(start, length - start - GroupWriter.LENGTH_BYTES, ORDER);
        }
    }

    private void lengthen(final GroupReader message)
    {
        final DirectBuffer from = message.buffer();
        final int block = from.getShort(message.offset() + MessageHeaderDecoder.blockLengthEncodingOffset(), ORDER);
        longer.putInt(length, 0);
        final int header = length;
        put(from, message.offset(), MessageHeaderDecoder.ENCODED_LENGTH + block);
        longer.putShort(header + MessageHeaderDecoder.blockLengthEncodingOffset(), (short)(block + BLOCK_BYTES), ORDER);
        putLater(BLOCK_BYTES);
        int at = message.offset() + MessageHeaderDecoder.ENCODED_LENGTH + block;
        for (int i = repeating.get(message.template()); i > 0; i--)
        {
            final int entry = from.getShort(at, ORDER);
            final int count = from.getInt(at + Short.BYTES, ORDER);
            longer.putShort(length, (short)(entry + ENTRY_BYTES), ORDER);
            longer.putInt(length + Short.BYTES, count, ORDER);
            length += ENTRIES_HEADER;
            at += ENTRIES_HEADER;
            for (int k = 0; k < count; k++, at += entry)
            {
                put(from, at, entry);
                putLater(ENTRY_BYTES);
            }
        }
        put(from, at, message.offset() + message.messageLength() - at);
    }

    /** A journal whose first records were removed begins at a snapshot of the state. */
    private static FoldedState state(final StateStart start)
    {
        return start.state() == null ? new FoldedState(start.reader().stateShape()) : start.state();
    }

    private static byte[] encoded(final FoldedState state)
    {
        final ExpandableArrayBuffer bytes = new ExpandableArrayBuffer();
        final byte[] encoded = new byte[StateCodec.encode(state, bytes, 0)];
        bytes.getBytes(0, encoded);
        return encoded;
    }

    private void readSchema() throws Exception
    {
        for (final MatchResult message : MESSAGE.matcher(Files.readString(SCHEMA)).results().toList())
        {
            repeating.put(Integer.parseInt(message.group(1)), message.group(2).split("<group ", -1).length - 1);
        }
    }

    /**
     * No golden journal has a Tick, StepTimedOut, Refused, Paused or Continued.
     *
     * @param templates ids of the messages that the journal has.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        simulated | 1 3 4 6 7 8 10 20 22 23 24 25 27 28
        restarted | 1 2 3 4 6 7 10 20 22 23 24 25 26 27 28 29
        turns     | 1 3 4 6 7 8 20 22 23 24 25 27 28
        shortened | 1 3 4 6 7 10 20 22 23 24 25 26 27 28
        risen     | 1 4 6 7 10 11 20 22 23 24 25 26 27 28""")
    void shouldSkipLaterFields(final String name, final String templates) throws Exception
    {
        readSchema();
        final Path journal = GoldenJournal.unpack("version-5-" + name, directory);
        try (StateStart start = StateStart.of(journal, ReadProgress.NONE);
            StateStart later = StateStart.of(journal, ReadProgress.NONE))
        {
            final JournalReader reader = start.reader();
            final FoldedState recorded = state(start);
            final FoldedState lengthened = state(later);
            final RunFold fold = RunFold.of(new StateFold(recorded)).behind(recorded);
            final RunFold laterFold = RunFold.of(new StateFold(lengthened)).behind(lengthened);
            while (reader.next())
            {
                lengthen(reader.group(), reader.groupLength());
                final Texts texts = new Texts();
                texts.readGroup(reader.group(), 0, reader.groupLength());
                final Texts skipped = new Texts();
                skipped.readGroup(longer, 0, length);
                assertEquals(texts.texts, skipped.texts);
                seen.addAll(texts.templates);
                fold.onGroup(reader.group(), 0, reader.groupLength());
                laterFold.onGroup(longer, 0, length);
                assertArrayEquals(encoded(recorded), encoded(lengthened));
            }
            assertTrue(recorded.generatedTokens() > 100);
            assertEquals(templates, seen.stream().map(String::valueOf).collect(Collectors.joining(" ")));
        }
    }

    /** The comparison sees the fields of each message, and what the state keeps of them. */
    @Test
    void shouldFindAChangedField() throws Exception
    {
        readSchema();
        final Path journal = GoldenJournal.unpack("version-5-turns", directory);
        try (JournalReader reader = JournalReader.open(journal))
        {
            assertTrue(reader.next());
            lengthen(reader.group(), reader.groupLength());
            final Texts texts = new Texts();
            texts.readGroup(longer, 0, length);
            final int time = GroupWriter.LENGTH_BYTES + MessageHeaderDecoder.ENCODED_LENGTH;
            longer.putByte(time, (byte)(longer.getByte(time) + 1));
            final Texts changed = new Texts();
            changed.readGroup(longer, 0, length);
            assertNotEquals(texts.texts, changed.texts);
            final FoldedState recorded = new FoldedState(reader.stateShape());
            RunFold.of(new StateFold(recorded)).onGroup(reader.group(), 0, reader.groupLength());
            final FoldedState other = new FoldedState(reader.stateShape());
            RunFold.of(new StateFold(other)).onGroup(longer, 0, length);
            assertFalse(Arrays.equals(encoded(recorded), encoded(other)));
        }
    }
}
