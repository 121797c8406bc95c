// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.EventReader;
import io.signalbox.event.GroupReader;
import org.agrona.sbe.MessageDecoderFlyweight;

/** One message as text: its name, then every field by name. A message above the bound is named, not printed. */
final class MessageText extends EventReader
{
    private final int longestBytes;
    private int length;
    private String text;

    /** @param longestBytes length, SBE header included, above which only the name is printed. */
    MessageText(final int longestBytes)
    {
        this.longestBytes = longestBytes;
    }

    String of(final GroupReader message)
    {
        length = message.messageLength();
        readMessage(message.buffer(), message.offset(), length);
        return text;
    }

    @Override
    protected void onOther(final MessageDecoderFlyweight message)
    {
        text = length > longestBytes ? "[" + nameOf(message) + "], " + length + " bytes"
            : message.appendTo(new StringBuilder()).toString();
    }

    @Override
    protected void onUnknown(final int template, final int messageLength)
    {
        text = "(message of unknown template " + template + ", " + messageLength + " bytes)";
    }
}
