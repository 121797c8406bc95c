// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.request;

import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import org.agrona.collections.LongHashSet;

import java.util.LinkedHashMap;
import java.util.Map;

/** The requests that have ended and were not released, with the logical times of their ends, folded from groups. */
public final class UntakenEnds implements RunListener
{
    private final Map<Long, Long> timesNanos = new LinkedHashMap<>();
    /** Live requests whose rows are kept for their clients. */
    private final LongHashSet live = new LongHashSet();
    private boolean submittedForRows;
    private long nowNanos;

    @Override
    public void onGroup(final long timeNanos)
    {
        nowNanos = timeNanos;
    }

    /** By request, in the order of the ends. */
    public Map<Long, Long> timesNanos()
    {
        return timesNanos;
    }

    @Override
    public void onSubmit(final SubmitDecoder submit)
    {
        submittedForRows = submit.rowsFrom() >= 0;
    }

    @Override
    public void onAccepted(final RunRequest request)
    {
        if (submittedForRows)
        {
            live.add(request.id());
        }
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder free)
    {
        if (live.remove(free.requestId()))
        {
            timesNanos.put(free.requestId(), nowNanos);
        }
    }

    @Override
    public void onControl(final ControlDecoder control)
    {
        if (control.kind() == ControlKind.RELEASE_ROWS)
        {
            timesNanos.remove(control.requestId());
        }
    }
}
