// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** One step of one rank, in a recording of the Flight Recorder. */
@Name(StepEvent.NAME)
@Label("Step")
@Category("Signalbox")
@Description("One step of one rank: from its launch until its Commit or its withdrawal has been journaled")
@StackTrace(false)
public final class StepEvent extends Event
{
    public static final String NAME = "io.signalbox.Step";

    @Label("Rank")
    public int rank;

    @Label("Step")
    public long step;

    @Label("Epoch")
    public int epoch;

    @Label("Entries")
    @Description("Requests that the step computes")
    public int entries;

    @Label("Tokens")
    @Description("Tokens that the step feeds")
    public int tokens;

    @Label("Committed")
    @Description("False if the step was withdrawn")
    public boolean committed;
}
