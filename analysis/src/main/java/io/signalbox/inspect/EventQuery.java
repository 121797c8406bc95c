// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.ConfigException;
import io.signalbox.DocumentSchema;
import io.signalbox.JsonName;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupReader;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.journal.JournalReader;
import org.agrona.DirectBuffer;
import org.agrona.sbe.MessageDecoderFlyweight;

import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Lists messages with all their fields, in the order of the journal. Fields are decoded of messages that may be listed: the
 * others are passed over by what their bytes cannot hold.
 */
public final class EventQuery extends JournalQuery
{
    private static final String UNREAD = "";

    private final EventFilter filter;
    private final Pattern rank;
    private final Pattern request;
    private final GroupReader messages = new GroupReader();
    private final StringBuilder text = new StringBuilder();
    /** By decoder. */
    private final Map<Class<?>, String> names = new HashMap<>();
    private final EventReader reader = new MessageReader();
    private long index;

    /**
     * A row of {@code inspect events JOURNAL --json}: a message of a group.
     *
     * @param record    record of its group
     * @param timeNanos logical time of its group
     * @param index     place in the group; 0: the input
     * @param message   name of the message in the schema
     * @param fields    all fields as text
     */
    @DocumentSchema("signalbox.inspect-events/2")
    public record EventRow(
        long record, @JsonName("seconds") long timeNanos, long index, String message, String fields)
    {
    }

    public EventQuery(final EventFilter filter)
    {
        this.filter = filter;
        rank = filter.rank() < 0 ? null : Pattern.compile("\\brank=" + filter.rank() + "\\b");
        request = filter.requestId() == null ? null : Pattern.compile("\\brequestId=" + filter.requestId() + "\\b");
    }

    @Override
    public Class<EventRow> rowType()
    {
        return EventRow.class;
    }

    @Override
    void begin(final JournalReader journal)
    {
        requireRank(journal, filter.rank());
    }

    @Override
    boolean needsAll()
    {
        return false;
    }

    @Override
    void read(final DirectBuffer group, final int length)
    {
        if (!filter.window().has(nowNanos()) || filter.record() != null && filter.record() != record())
        {
            return;
        }
        messages.wrap(group, 0, length);
        for (index = 0; messages.next(); index++)
        {
            if (mayBeListed(group, messages.offset(), messages.messageLength()))
            {
                reader.readMessage(group, messages.offset(), messages.messageLength());
            }
        }
    }

    @Override
    void finish()
    {
        if (filter.record() != null && filter.record() > record())
        {
            throw new ConfigException("record " + filter.record() + " is behind the last group that was read, that of " +
                "record " + record() + "; give one up to it.");
        }
    }

    /** A message that names a rank or a request has its number in its bytes. */
    private boolean mayBeListed(final DirectBuffer group, final int offset, final int length)
    {
        if (rank != null)
        {
            final int block = group.getShort(
                offset + MessageHeaderDecoder.blockLengthEncodingOffset(), ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
            final int end = offset + Math.min(length, MessageHeaderDecoder.ENCODED_LENGTH + block) - Integer.BYTES;
            if (!hasInt(group, offset + MessageHeaderDecoder.ENCODED_LENGTH, end))
            {
                return false;
            }
        }
        return request == null ||
            hasLong(group, offset + MessageHeaderDecoder.ENCODED_LENGTH, offset + length - Long.BYTES);
    }

    private boolean hasInt(final DirectBuffer group, final int from, final int last)
    {
        final int wanted = filter.rank();
        int at = from;
        while (at <= last && group.getInt(at, ByteOrder.LITTLE_ENDIAN) != wanted)
        {
            at++;
        }
        return at <= last;
    }

    private boolean hasLong(final DirectBuffer group, final int from, final int last)
    {
        final long wanted = filter.requestId();
        int at = from;
        while (at <= last && group.getLong(at, ByteOrder.LITTLE_ENDIAN) != wanted)
        {
            at++;
        }
        return at <= last;
    }

    /** Without groups: the candidates of a placement have ranks too. */
    private static String ownFields(final String fields)
    {
        final int groups = fields.indexOf('[');
        return groups < 0 ? fields : fields.substring(0, groups);
    }

    private final class MessageReader extends EventReader
    {
        @Override
        protected void onOther(final MessageDecoderFlyweight message)
        {
            list(message, names.computeIfAbsent(message.getClass(), type -> nameOf(message)));
        }
    }

    private void list(final MessageDecoderFlyweight message, final String name)
    {
        if (!filter.messages().isEmpty() && !filter.messages().contains(name))
        {
            return;
        }
        if (rank == null && request == null && isFull())
        {
            row(new EventRow(record(), nowNanos(), index, name, UNREAD));
            return;
        }
        text.setLength(0);
        message.appendTo(text);
        // Ahead of the fields: name, schema and sizes, as "[Commit](...):".
        final String fields = text.substring(text.indexOf("):") + 2);
        if ((rank == null || rank.matcher(ownFields(fields)).find()) &&
            (request == null || request.matcher(fields).find()))
        {
            row(new EventRow(record(), nowNanos(), index, name, fields));
        }
    }
}
