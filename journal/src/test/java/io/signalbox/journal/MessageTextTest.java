// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.GroupReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedEncoder;
import io.signalbox.event.codec.RunDescriptionEncoder;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A printed difference names every message. */
final class MessageTextTest
{
    private static final Pattern MESSAGE = Pattern.compile("<sbe:message name=\"(\\w+)\" id=\"(\\d+)\"");
    private static final int FIRST_JOURNAL_TEMPLATE = 40;
    private static final int BLOCK_BYTES = 128;
    /** Groups without entries, or fields without bytes. */
    private static final int TAIL_BYTES = 120;
    private static final int LONGEST_BYTES = 1024;

    @Test
    void shouldKnowEveryMessageOfAGroup() throws IOException
    {
        final Path schema = Path.of(System.getProperty("signalbox.root"), "scheduler/src/main/sbe/signalbox.xml");
        final List<MatchResult> messages = MESSAGE.matcher(Files.readString(schema)).results()
            .filter(message -> Integer.parseInt(message.group(2)) < FIRST_JOURNAL_TEMPLATE).toList();
        assertFalse(messages.isEmpty());
        for (final MatchResult message : messages)
        {
            final String text = new MessageText(LONGEST_BYTES).of(empty(Integer.parseInt(message.group(2))));
            assertTrue(text.contains(message.group(1)) && !text.contains("unknown"), text);
        }
    }

    @Test
    void shouldNameTheFieldsOfARequeue()
    {
        final GroupWriter group = new GroupWriter(256);
        final RequeuedEncoder requeued = new RequeuedEncoder();
        requeued.wrapAndApplyHeader(group.buffer(), group.begin(), new MessageHeaderEncoder()).requestId(41).rank(3)
            .reason(RequeueReason.PREEMPTED).releasedCount(1).next().blockId(9);
        group.end(MessageHeaderEncoder.ENCODED_LENGTH + requeued.encodedLength());
        final List<String> lines = GroupText.lines(group.buffer(), 0, group.length());
        assertEquals(1, lines.size());
        for (final String field : List.of("Requeued", "requestId=41", "rank=3", "reason=PREEMPTED", "blockId=9"))
        {
            assertTrue(lines.get(0).contains(field), lines.get(0));
        }
    }

    @Test
    void shouldSayWhereAMessageIsOfAnotherTime()
    {
        assertEquals("(message of unknown template 39, 256 bytes)", new MessageText(LONGEST_BYTES).of(empty(39)));
    }

    @Test
    void shouldNameALongMessageWithoutItsFields()
    {
        assertEquals("[Wake], 256 bytes", new MessageText(255).of(empty(4)));
    }

    /** A writer at fault may put any message into a group: the sweep of mutated inputs found this one. */
    @Test
    void shouldNotBelieveTheLengthsOfARunDescriptionInAGroup()
    {
        final GroupWriter group = new GroupWriter(256);
        final RunDescriptionEncoder description = new RunDescriptionEncoder();
        description.wrapAndApplyHeader(group.buffer(), group.begin(), new MessageHeaderEncoder())
            .settingsCount(1).next().key("a").value("b");
        final int length = MessageHeaderEncoder.ENCODED_LENGTH + description.encodedLength();
        group.end(length);
        final int value = group.length() - Integer.BYTES - 1;
        for (final int forged : new int[] {2, 1 << 30, Integer.MAX_VALUE, -1})
        {
            group.buffer().putInt(value, forged, ByteOrder.LITTLE_ENDIAN);
            final List<String> lines = GroupText.lines(group.buffer(), 0, group.length());
            assertTrue(lines.get(0).startsWith("(cannot be decoded from here on: a field of a message"), lines.get(0));
        }
        group.buffer().putInt(value, 1, ByteOrder.LITTLE_ENDIAN);
        assertTrue(GroupText.lines(group.buffer(), 0, group.length()).get(0).contains("value='b'"));
    }

    /** Every byte of every field is 1, which all enumerations know; groups and texts are empty. */
    private static GroupReader empty(final int templateId)
    {
        final GroupWriter group = new GroupWriter(2048);
        final int start = group.begin();
        new MessageHeaderEncoder().wrap(group.buffer(), start).blockLength(BLOCK_BYTES).templateId(templateId).schemaId(7201)
            .version(0);
        final int fields = start + MessageHeaderEncoder.ENCODED_LENGTH;
        group.buffer().setMemory(fields, BLOCK_BYTES, (byte)1);
        group.buffer().setMemory(fields + BLOCK_BYTES, TAIL_BYTES, (byte)0);
        group.end(MessageHeaderEncoder.ENCODED_LENGTH + BLOCK_BYTES + TAIL_BYTES);
        final GroupReader reader = new GroupReader().wrap(group.buffer(), 0, group.length());
        assertTrue(reader.next());
        return reader;
    }
}
