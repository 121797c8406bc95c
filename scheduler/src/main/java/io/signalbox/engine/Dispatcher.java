// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.event.GroupReader;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import org.agrona.DirectBuffer;

/** Hands every step plan of a group to the backend, and tells it of a step whose result nobody waits for any more. */
final class Dispatcher
{
    private final Backend backend;
    private final LaunchedSteps launches;
    private final GroupReader reader = new GroupReader();
    private final ScheduleDecoder schedule = new ScheduleDecoder();
    private final StepTimedOutDecoder stepTimedOut = new StepTimedOutDecoder();

    Dispatcher(final Backend backend, final LaunchedSteps launches)
    {
        this.backend = backend;
        this.launches = launches;
    }

    void dispatch(final DirectBuffer group, final int offset, final int length)
    {
        reader.wrap(group, offset, length);
        while (reader.next())
        {
            if (reader.templateId() == ScheduleDecoder.TEMPLATE_ID)
            {
                launches.launched(schedule.wrapAndApplyHeader(reader.buffer(), reader.offset(), reader.header()));
                backend.submit(schedule.wrapAndApplyHeader(reader.buffer(), reader.offset(), reader.header()));
            }
            else if (reader.templateId() == StepTimedOutDecoder.TEMPLATE_ID)
            {
                stepTimedOut.wrapAndApplyHeader(reader.buffer(), reader.offset(), reader.header());
                backend.abort(stepTimedOut.rank(), stepTimedOut.step());
            }
        }
    }
}
