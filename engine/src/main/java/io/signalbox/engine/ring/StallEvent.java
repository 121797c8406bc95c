// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** A call that held a thread of the engine up, in a recording of the Flight Recorder. */
@Name(StallEvent.NAME)
@Label("Stall")
@Category("Signalbox")
@Description("A part of the engine took long for one piece of work, and what follows it waited")
@Threshold("10 ms")
@StackTrace(false)
public final class StallEvent extends Event
{
    public static final String NAME = "io.signalbox.Stall";

    @Label("Part")
    @Description("journal: append and sync; backend: submit of a step; clients: tokens and ends of a group")
    public String part;
}
