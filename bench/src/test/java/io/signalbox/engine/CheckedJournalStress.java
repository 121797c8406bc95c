// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import org.agrona.DirectBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** A thread that appends a group while another one closes the journal. */
@JCStressTest
@Outcome(id = {"appended, closed", "closed"}, expect = Expect.ACCEPTABLE, desc = "One after the other.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Closed in the middle of an append, or used once it was closed.")
@State
public class CheckedJournalStress
{
    private static final GroupWriter GROUP = wake();

    private final Uses uses = new Uses();
    private final CheckedJournal journal = new CheckedJournal(uses, ForeignCall.ofEngine(), Long.MAX_VALUE);

    private static GroupWriter wake()
    {
        final InputWriter input = new InputWriter();
        input.wake().timeNanos(1);
        final GroupWriter group = new GroupWriter(64);
        group.append(input.buffer(), 0, input.length());
        return group;
    }

    @Actor
    public void handler()
    {
        try
        {
            journal.append(1, GROUP.buffer(), 0, GROUP.length(), null);
        }
        catch (final IllegalStateException e)
        {
            // It is closed.
            return;
        }
    }

    @Actor
    public void closing()
    {
        journal.close();
    }

    @Arbiter
    public void after(final L_Result result)
    {
        result.r1 = uses.order;
    }

    /** Belongs to one thread at a time, as journals do. */
    private static final class Uses implements GroupJournal
    {
        private String order = "";

        @Override
        public void append(
            final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
        {
            final String before = order;
            order = "torn";
            Thread.onSpinWait();
            order = before + "appended, ";
        }

        @Override
        public void endOfBatch()
        {
        }

        @Override
        public void close()
        {
            order += "closed";
        }
    }
}
