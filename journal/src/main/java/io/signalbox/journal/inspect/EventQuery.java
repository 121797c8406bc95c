// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.inspect;

import org.agrona.sbe.MessageDecoderFlyweight;

import java.util.List;
import java.util.regex.Pattern;

/** Lists messages with all their fields, in the order of the journal. */
public final class EventQuery extends JournalQuery
{
    private final EventFilter filter;
    private final Pattern rank;
    private final Pattern request;
    private long group = -1;
    private long index;

    public EventQuery(final EventFilter filter)
    {
        this.filter = filter;
        rank = filter.rank() < 0 ? null : Pattern.compile("\\brank=" + filter.rank() + "\\b");
        request = filter.requestId() == null ? null : Pattern.compile("\\brequestId=" + filter.requestId() + "\\b");
    }

    @Override
    public List<TableColumn> columns()
    {
        return List.of(TableColumn.number("record"), TableColumn.seconds("time"), TableColumn.number("index"),
            TableColumn.text("message"), TableColumn.text("fields"));
    }

    @Override
    boolean needsAll()
    {
        return false;
    }

    /** Without groups: the candidates of a placement have ranks too. */
    private static String ownFields(final String fields)
    {
        final int groups = fields.indexOf('[');
        return groups < 0 ? fields : fields.substring(0, groups);
    }

    @Override
    protected void onOther(final MessageDecoderFlyweight message)
    {
        index = group == record() ? index + 1 : 0;
        group = record();
        final String name = nameOf(message);
        if (filter.window().has(nowNanos()) && (filter.record() == null || filter.record() == record()) &&
            (filter.messages().isEmpty() || filter.messages().contains(name)))
        {
            final String text = message.appendTo(new StringBuilder()).toString();
            // Ahead of the fields: name, schema and sizes, as "[Commit](...):".
            final String fields = text.substring(text.indexOf("):") + 2);
            if ((rank == null || rank.matcher(ownFields(fields)).find()) &&
                (request == null || request.matcher(fields).find()))
            {
                row(record(), nowNanos(), index, name, fields);
            }
        }
    }

    @Override
    protected void onUnknown(final int template, final int length)
    {
        index = group == record() ? index + 1 : 0;
        group = record();
    }
}
