// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.report;

import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import org.agrona.DirectBuffer;

/** A report that switches over template ids. */
final class BadSwitch
{
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private int ended;

    void onMessage(final DirectBuffer message, final int offset)
    {
        if (header.wrap(message, offset).templateId() == FreeDecoder.TEMPLATE_ID)
        {
            ended++;
        }
    }

    int ended()
    {
        return ended;
    }
}
