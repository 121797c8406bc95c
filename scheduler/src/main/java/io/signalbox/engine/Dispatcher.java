// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.event.GroupReader;
import io.signalbox.event.codec.ScheduleDecoder;
import org.agrona.DirectBuffer;

/** Hands every step plan of a group to the backend. */
final class Dispatcher
{
    private final Backend backend;
    private final GroupReader reader = new GroupReader();
    private final ScheduleDecoder schedule = new ScheduleDecoder();

    Dispatcher(final Backend backend)
    {
        this.backend = backend;
    }

    void dispatch(final DirectBuffer group, final int offset, final int length)
    {
        reader.wrap(group, offset, length);
        while (reader.next())
        {
            if (reader.templateId() == ScheduleDecoder.TEMPLATE_ID)
            {
                backend.submit(schedule.wrapAndApplyHeader(reader.buffer(), reader.offset(), reader.header()));
            }
        }
    }
}
