// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

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
final class StepEvent extends Event
{
    static final String NAME = "io.signalbox.Step";

    @Label("Rank")
    int rank;

    @Label("Step")
    long step;

    @Label("Epoch")
    int epoch;

    @Label("Entries")
    @Description("Requests that the step computes")
    int entries;

    @Label("Tokens")
    @Description("Tokens that the step feeds")
    int tokens;

    @Label("Committed")
    @Description("False if the step was withdrawn")
    boolean committed;
}
