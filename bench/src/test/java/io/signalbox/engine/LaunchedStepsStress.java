// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.step.LaunchedSteps;
import io.signalbox.engine.step.LaunchedSteps.Launch;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.ScheduleEncoder;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;
import org.openjdk.jcstress.infra.results.ZZZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** The dispatching thread, and threads that report, at the steps of a rank. */
public class LaunchedStepsStress
{
    private static final DirectBuffer FIRST = plan(1, 0, 3, 4);
    private static final DirectBuffer SECOND = plan(2, 0, 1, 1);
    private static final DirectBuffer THIRD = plan(3, 0, 9);
    private static final DirectBuffer FOURTH = plan(4, 0, 2);
    private static final DirectBuffer OF_THE_NEXT_EPOCH = plan(2, 1, 9);
    private static final DirectBuffer LATER = plan(3, 1, 5, 6);

    /** @param counts tokens of each entry. */
    private static DirectBuffer plan(final long step, final int epoch, final int... counts)
    {
        int tokens = 0;
        for (final int count : counts)
        {
            tokens += count;
        }
        final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        final ScheduleEncoder plan = new ScheduleEncoder();
        plan.wrapAndApplyHeader(buffer, 0, new MessageHeaderEncoder()).step(step).epoch(epoch).rank(0).tokens(tokens);
        plan.admittedCount(0);
        plan.evictedCount(0);
        plan.tableChangesCount(0);
        plan.pendingCount(0);
        final ScheduleEncoder.EntriesEncoder entries = plan.entriesCount(counts.length);
        for (final int count : counts)
        {
            entries.next().requestId(count).start(0).tokenCount(count).predecessorEntry(0).slack(0).clip(0)
                .predecessorBack((short)0).drafts((short)0).samples(Flag.YES);
        }
        return buffer;
    }

    private static StepView view(final DirectBuffer plan)
    {
        return new StepView().wrap(plan, 0);
    }

    /** A sound backend reports the third step while the dispatching thread gives the slot of the first step to a fourth. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "The report is in its order, and the first one.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A sound backend is accused.")
    @State
    public static class SoundReport
    {
        private final LaunchedSteps launches = new LaunchedSteps(1, 2, true);

        /** The first two steps have landed. */
        public SoundReport()
        {
            launches.launched(view(FIRST));
            launches.launched(view(SECOND));
            launches.landed(0, 1);
            launches.landed(0, 2);
            launches.launched(view(THIRD));
        }

        @Actor
        public void dispatcher()
        {
            launches.launched(view(FOURTH));
        }

        @Actor
        public void reporter(final ZZ_Result result)
        {
            final Launch launch = launches.find(0, 0, 3);
            result.r1 = ReportCheck.order(launches, launch, 0) == null;
            result.r2 = launch.answer();
            launch.unpin();
        }
    }

    /** A step is withdrawn and its slot is given to another one while its late result is judged. */
    @JCStressTest
    @Outcome(id = {"7 in 3 and 4", "former"}, expect = Expect.ACCEPTABLE, desc = "Judged by its own plan, or not at all.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Judged by another plan.")
    @State
    public static class LateReport
    {
        private final LaunchedSteps launches = new LaunchedSteps(1, 1, true);

        /** The step is launched. */
        public LateReport()
        {
            launches.launched(view(FIRST));
        }

        @Actor
        public void dispatcher()
        {
            launches.withdrawn(0, 1);
            launches.launched(view(OF_THE_NEXT_EPOCH));
            launches.landed(0, 2);
            launches.launched(view(LATER));
        }

        @Actor
        public void reporter(final L_Result result)
        {
            final Launch launch = launches.find(0, 0, 1);
            if (launch == null)
            {
                final boolean isFormer = ReportCheck.isFormer(launches.lastEpoch(0), launches.lastStep(0), 0, 1);
                result.r1 = isFormer ? "former" : "never given";
            }
            else
            {
                result.r1 =
                    launch.tokens() + " in " + launch.count(0) + (launch.entries() == 2 ? " and " + launch.count(1) : "");
                launch.unpin();
            }
        }
    }

    /** A step is reported while it is withdrawn, and its result is committed without the report. */
    @JCStressTest
    @Outcome(id = {"true, false, true", "false, true, true"}, expect = Expect.ACCEPTABLE, desc = "One is the first.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "None or both are, or a state is lost.")
    @State
    public static class TwoReports
    {
        private final LaunchedSteps launches = new LaunchedSteps(1, 1, false);
        private final Launch launch;

        /** The step is launched. */
        public TwoReports()
        {
            launches.launched(view(FIRST));
            launch = launches.find(0, 0, 1);
        }

        @Actor
        public void reporter(final ZZZ_Result result)
        {
            result.r1 = launch.answer();
        }

        @Actor
        public void dispatcher(final ZZZ_Result result)
        {
            launches.withdrawn(0, 1);
            result.r2 = launch.answer();
        }

        @Arbiter
        public void after(final ZZZ_Result result)
        {
            result.r3 = launch.isAnswered() && launch.isWithdrawn() && !launch.isOwed();
        }
    }
}
