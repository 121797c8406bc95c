// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.RowForm;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CompletionViewTest
{
    private static final int ENTRIES = 5;

    /** Memory that a message can be in. */
    static Stream<UnsafeBuffer> memory()
    {
        return Stream.of(
            new UnsafeBuffer(new byte[1024]),
            new UnsafeBuffer(new byte[1024], 24, 1000),
            new UnsafeBuffer(ByteBuffer.allocate(1024).position(40).slice()),
            new UnsafeBuffer(ByteBuffer.allocateDirect(1024)));
    }

    @ParameterizedTest
    @MethodSource("memory")
    void shouldCopyEntriesAndTokens(final UnsafeBuffer buffer)
    {
        final InputWriter writer = completion();
        buffer.putBytes(16, writer.buffer(), 0, writer.length());
        final List<CompletionView> seen = new ArrayList<>();
        new EventReader()
        {
            @Override
            protected void onD2hComplete(final CompletionView completion)
            {
                final int[] starts = new int[ENTRIES];
                final int[] accepted = new int[ENTRIES];
                final int[] tokens = new int[8];
                assertEquals(7, completion.copyEntries(starts, accepted));
                assertEquals(0b111, completion.copyTokens(tokens));
                assertArrayEquals(new int[]{100, 101, 102, 103, 104}, starts);
                assertArrayEquals(new int[]{1, 2, 1, 2, 1}, accepted);
                assertArrayEquals(new int[]{0, 1, 2, 3, 4, 5, 6, 0}, tokens);
                for (int i = 0; i < ENTRIES; i++)
                {
                    assertEquals(starts[i], completion.start(i));
                    assertEquals(accepted[i], completion.accepted(i));
                }
                seen.add(completion);
            }
        }.readMessage(buffer, 16, writer.length());
        assertEquals(1, seen.size());
    }

    @ParameterizedTest
    @MethodSource("memory")
    void shouldRefuseEntriesThatLackAField(final UnsafeBuffer buffer)
    {
        final InputWriter writer = completion();
        buffer.putBytes(16, writer.buffer(), 0, writer.length());
        final int entries = 16 + MessageHeaderEncoder.ENCODED_LENGTH + D2hCompleteEncoder.BLOCK_LENGTH;
        buffer.putShort(entries, (short)(D2hCompleteEncoder.EntriesEncoder.sbeBlockLength() - 1));
        final EventReader reader = new EventReader()
        {
            @Override
            protected void onD2hComplete(final CompletionView completion)
            {
                completion.entryCount();
            }
        };
        assertTrue(assertThrows(MessageFormatException.class, () -> reader.readMessage(buffer, 16, writer.length()))
            .getMessage().endsWith(", and an entry has 5 bytes"));
    }

    private static InputWriter completion()
    {
        final InputWriter writer = new InputWriter();
        final D2hCompleteEncoder message = writer.d2hComplete();
        message.timeNanos(0).step(1).epoch(0).rank(0).rowCount(0).rowBytes(0).rowsChecksum(0).computeNanos(0)
            .rowForm(RowForm.NONE);
        final D2hCompleteEncoder.EntriesEncoder entries = message.entriesCount(ENTRIES);
        for (int i = 0; i < ENTRIES; i++)
        {
            entries.next().start(100 + i).accepted((short)(1 + i % 2));
        }
        final D2hCompleteEncoder.TokensEncoder tokens = message.tokensCount(7);
        for (int i = 0; i < 7; i++)
        {
            tokens.next().tokenId(i);
        }
        message.impossibleRowsCount(0);
        message.logprobsCount(0);
        message.putRows(new byte[0], 0, 0);
        return writer;
    }
}
