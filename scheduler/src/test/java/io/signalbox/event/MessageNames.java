// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.sbe.MessageDecoderFlyweight;

import java.util.ArrayList;
import java.util.List;

/** Records the names of messages in the order of arrival. */
public final class MessageNames extends EventReader
{
    private final List<String> names = new ArrayList<>();

    private MessageNames()
    {
    }

    public static List<String> ofGroup(final DirectBuffer group, final int offset, final int length)
    {
        final MessageNames reader = new MessageNames();
        reader.readGroup(group, offset, length);
        return reader.names;
    }

    public static List<String> ofGroup(final byte[] group)
    {
        return ofGroup(new UnsafeBuffer(group), 0, group.length);
    }

    public static String ofMessage(final DirectBuffer message, final int offset, final int length)
    {
        final MessageNames reader = new MessageNames();
        reader.readMessage(message, offset, length);
        return reader.names.get(0);
    }

    @Override
    protected void onOther(final MessageDecoderFlyweight message)
    {
        names.add(nameOf(message));
    }
}
