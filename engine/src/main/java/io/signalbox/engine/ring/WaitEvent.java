// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** A thread that waited for room, in a recording of the Flight Recorder. */
@Name(WaitEvent.NAME)
@Label("Wait")
@Category("Signalbox")
@Description("A thread waited for room; the event has its name")
@Threshold("1 ms")
@StackTrace(false)
public final class WaitEvent extends Event
{
    public static final String NAME = "io.signalbox.Wait";

    @Label("Room")
    @Description("ingress: a slot for an input; track: a slot for a group; credit: room for a request; rows: bytes of rows")
    String room;
}
