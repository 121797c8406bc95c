// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.request;

import io.signalbox.event.EventReader;
import io.signalbox.event.GroupReader;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import org.agrona.DirectBuffer;
import org.agrona.collections.LongHashSet;

import java.util.LinkedHashMap;
import java.util.Map;

/** The requests that have ended and were not released, with the logical times of their ends, folded from groups. */
public final class UntakenEnds extends EventReader
{
    private final Map<Long, Long> timesNanos = new LinkedHashMap<>();
    /** Live requests whose rows are kept for their clients. */
    private final LongHashSet live = new LongHashSet();
    private boolean submittedForRows;
    private long nowNanos;

    public UntakenEnds()
    {
        super(SubmitDecoder.TEMPLATE_ID, AcceptedDecoder.TEMPLATE_ID, FreeDecoder.TEMPLATE_ID, ControlDecoder.TEMPLATE_ID);
    }

    public void onGroup(final DirectBuffer group, final int offset, final int length)
    {
        nowNanos = Math.max(nowNanos, GroupReader.inputTimeNanos(group, offset, length));
        readGroup(group, offset, length);
    }

    /** By request, in the order of the ends. */
    public Map<Long, Long> timesNanos()
    {
        return timesNanos;
    }

    @Override
    protected void onSubmit(final SubmitDecoder submit)
    {
        submittedForRows = submit.rowsFrom() >= 0;
    }

    @Override
    protected void onAccepted(final AcceptedDecoder accepted)
    {
        if (submittedForRows)
        {
            live.add(accepted.requestId());
        }
    }

    @Override
    protected void onFree(final FreeDecoder free)
    {
        if (live.remove(free.requestId()))
        {
            timesNanos.put(free.requestId(), nowNanos);
        }
    }

    @Override
    protected void onControl(final ControlDecoder control)
    {
        if (control.kind() == ControlKind.RELEASE_ROWS)
        {
            timesNanos.remove(control.requestId());
        }
    }
}
