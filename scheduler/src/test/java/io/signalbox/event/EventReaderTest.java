// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.CancelDecoder;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.WakeDecoder;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.sbe.MessageDecoderFlyweight;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class EventReaderTest
{
    private static final Pattern MESSAGE = Pattern.compile("<sbe:message name=\"(\\w+)\" id=\"(\\d+)\"");
    private static final Path SCHEMA = Path.of(System.getProperty("signalbox.root"), "scheduler/src/main/sbe/signalbox.xml");
    /** Behind the header: 42 groups without entries, or 63 fields without bytes. */
    private static final int BODY_BYTES = 252;
    private static final int UNUSED_TEMPLATE = 39;

    /** Records the messages that it receives. */
    private static final class Recorder extends EventReader
    {
        private final List<String> events = new ArrayList<>();

        @Override
        protected void onWake(final WakeDecoder message)
        {
            events.add("wake at " + message.timeNanos());
        }

        @Override
        protected void onCancel(final CancelDecoder message)
        {
            events.add("cancel of " + message.requestId());
        }

        @Override
        protected void onOther(final MessageDecoderFlyweight message)
        {
            events.add(nameOf(message));
        }

        @Override
        protected void onUnknown(final int template, final int length)
        {
            events.add("unknown " + template + " of " + length + " bytes");
        }
    }

    /** Records which method received each message. */
    private static final class Callers extends EventReader
    {
        private String last;

        @Override
        protected void onOther(final MessageDecoderFlyweight message)
        {
            last = StackWalker.getInstance().walk(
                frames -> frames.skip(1).findFirst().orElseThrow().getMethodName());
        }
    }

    private final Recorder recorder = new Recorder();
    private final Callers callers = new Callers();
    private final InputWriter input = new InputWriter();
    private final GroupWriter group = new GroupWriter(1024);

    private static List<MatchResult> messages() throws IOException
    {
        return MESSAGE.matcher(Files.readString(SCHEMA)).results().toList();
    }

    /** A message whose body is zeros. */
    private static UnsafeBuffer empty(final int template)
    {
        final UnsafeBuffer message = new UnsafeBuffer(new byte[MessageHeaderEncoder.ENCODED_LENGTH + BODY_BYTES]);
        new MessageHeaderEncoder().wrap(message, 0).blockLength(0).templateId(template).schemaId(7201).version(0);
        return message;
    }

    @Test
    void shouldHaveAMethodForEveryMessageOfTheSchemaAndNoOther() throws IOException
    {
        final Set<String> expected = messages().stream().map(message -> "on" + message.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
        expected.addAll(Set.of("onOther", "onUnknown"));

        assertEquals(expected, Arrays.stream(EventReader.class.getDeclaredMethods())
            .map(method -> method.getName()).filter(name -> name.startsWith("on")).collect(Collectors.toSet()));
    }

    @Test
    void shouldCallTheMethodNamedAfterTheMessage() throws IOException
    {
        for (final MatchResult message : messages())
        {
            final UnsafeBuffer empty = empty(Integer.parseInt(message.group(2)));
            assertEquals(message.group(1), MessageNames.ofMessage(empty, 0, empty.capacity()));
            callers.readMessage(empty, 0, empty.capacity());
            assertEquals("on" + message.group(1), callers.last);
        }
    }

    @Test
    void shouldRefuseASubmitThatLacksItsLastField()
    {
        final byte[] none = {};
        input.submit().putBlockHashes(none, 0, 0).putCacheKey(none, 0, 0).putTokens(none, 0, 0).putHashChain(none, 0, 0);
        final int end = input.length();

        assertEquals("a field of a message at byte " + end + " has -1 bytes, but the message ends at byte " + end,
            assertThrows(MessageFormatException.class, () -> recorder.readMessage(input.buffer(), 0, end)).getMessage());
        input.submit().putBlockHashes(none, 0, 0).putCacheKey(none, 0, 0).putTokens(none, 0, 0).putHashChain(none, 0, 0)
            .putStopTokens(none, 0, 0);
        recorder.readMessage(input.buffer(), 0, input.length());
        assertEquals(List.of("Submit"), recorder.events);
    }

    @Test
    void shouldReadAGroupInItsOrder()
    {
        input.wake().timeNanos(7);
        group.append(input.buffer(), 0, input.length());
        input.cancel().timeNanos(8).requestId(9);
        group.append(input.buffer(), 0, input.length());
        input.tick().timeNanos(10);
        group.append(input.buffer(), 0, input.length());

        recorder.readGroup(group.buffer(), 0, group.length());
        assertEquals(List.of("wake at 7", "cancel of 9", "Tick"), recorder.events);
        assertEquals(7, GroupReader.inputTimeNanos(group.buffer(), 0, group.length()));
    }

    @Test
    void shouldReadTheInputOnly()
    {
        input.wake().timeNanos(7);
        group.append(input.buffer(), 0, input.length());
        input.tick().timeNanos(10);
        group.append(input.buffer(), 0, input.length());

        recorder.readInput(group.buffer(), 0, group.length());
        assertEquals(List.of("wake at 7"), recorder.events);
    }

    @Test
    void shouldPassAMessageThatThisSchemaDoesNotHave()
    {
        recorder.readMessage(empty(UNUSED_TEMPLATE), 0, 260);
        assertEquals(List.of("unknown 39 of 260 bytes"), recorder.events);
    }

    @Test
    void shouldRefuseAMessageThatLeavesItsGroup()
    {
        input.wake().timeNanos(7);
        group.append(input.buffer(), 0, input.length());

        assertEquals("message length 16 at byte 0 leaves its group", assertThrows(IllegalArgumentException.class,
            () -> recorder.readGroup(group.buffer(), 0, group.length() - 1)).getMessage());
        assertThrows(IllegalArgumentException.class, () -> recorder.readInput(group.buffer(), 0, 3));
        assertThrows(IllegalArgumentException.class, () -> GroupReader.inputTimeNanos(group.buffer(), 0, 19));
        assertEquals("a message of 7 bytes at byte 0 is shorter than its header of 8 bytes",
            assertThrows(IllegalArgumentException.class, () -> recorder.readMessage(input.buffer(), 0, 7)).getMessage());
    }
}
