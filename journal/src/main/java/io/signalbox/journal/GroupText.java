// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.GroupReader;
import org.agrona.DirectBuffer;

import java.util.ArrayList;
import java.util.List;

/** Groups as text: one line per message, the input first. */
public final class GroupText
{
    private static final int LONGEST_MESSAGE_BYTES = 1 << 20;

    private GroupText()
    {
    }

    /** Lines of the group, without line ends. A message above 1 MiB is named, not printed. */
    public static List<String> lines(final DirectBuffer group, final int offset, final int length)
    {
        final List<String> lines = new ArrayList<>();
        final MessageText messages = new MessageText(LONGEST_MESSAGE_BYTES);
        final GroupReader reader = new GroupReader().wrap(group, offset, length);
        try
        {
            while (reader.next())
            {
                lines.add(messages.of(reader));
            }
        }
        catch (final IllegalArgumentException | IndexOutOfBoundsException e)
        {
            lines.add("(cannot be decoded from here on: " + e.getMessage() + ")");
        }
        return lines;
    }

    /** The whole group, one line per message. */
    public static String of(final DirectBuffer group, final int offset, final int length)
    {
        return String.join(System.lineSeparator(), lines(group, offset, length));
    }
}
