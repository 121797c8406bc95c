// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonName;
import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.state.RunStep;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Lists the steps that computed tokens of one request, as they landed; withdrawn ones are among them. */
public final class StepQuery extends JournalQuery
{
    private final long requestId;
    /** Steps in flight; at most as many as the depth. */
    private final List<Planned> planned = new ArrayList<>();

    /**
     * A row of {@code inspect request JOURNAL ID --show steps --json}: a step that computed tokens of the request.
     *
     * @param step         the step
     * @param rank         its rank
     * @param plannedNanos logical time of its plan
     * @param landedNanos  logical time of its commit; {@code null} if it was withdrawn or is in flight
     * @param planTokens   tokens of the request in the plan
     * @param start        position of the first token that was fed; {@code null} if it was withdrawn or is in flight
     * @param advance      tokens that count as computed; {@code null} if the step is in flight
     * @param rejected     draft tokens that were not accepted; {@code null} if the step is in flight
     * @param emitted      tokens that became visible; {@code null} if the step is in flight
     * @param verdict      {@code live}, {@code void}, {@code dead}, {@code owner-gone}, {@code withdrawn: } with the cause,
     *                     or {@code in-flight}
     */
    @DocumentSchema("signalbox.inspect-steps/2")
    public record StepRow(
        long step,
        int rank,
        @JsonName("plannedSeconds") long plannedNanos,
        @JsonName("landedSeconds") Long landedNanos,
        long planTokens,
        Long start,
        Long advance,
        Long rejected,
        Long emitted,
        String verdict)
    {
    }

    /** An entry of the request in a step that has not landed. */
    private record Planned(int rank, long step, long nanos, int tokens)
    {
        /** It landed, was withdrawn, or is in flight. */
        private StepRow row(
            final Long landedNanos, final Long start, final Long advance, final Long rejected, final Long emitted,
            final String verdict)
        {
            return new StepRow(step, rank, nanos, landedNanos, tokens, start, advance, rejected, emitted, verdict);
        }
    }

    public StepQuery(final long requestId)
    {
        this.requestId = requestId;
    }

    @Override
    boolean needsAll()
    {
        return false;
    }

    @Override
    public Class<StepRow> rowType()
    {
        return StepRow.class;
    }

    @Override
    public void onStep(final StepView plan)
    {
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            if (plan.requestId(entry) == requestId)
            {
                planned.add(new Planned(plan.rank(), plan.step(), nowNanos(), plan.tokenCount(entry)));
            }
        }
    }

    private Planned landed(final int rank, final long step)
    {
        for (int i = 0; i < planned.size(); i++)
        {
            if (planned.get(i).rank == rank && planned.get(i).step == step)
            {
                return planned.remove(i);
            }
        }
        return null;
    }

    @Override
    public void onLanded(final RunStep landed, final CommitView step)
    {
        final Planned plan = landed(step.rank(), step.step());
        for (int entry = 0; plan != null && entry < step.entryCount(); entry++)
        {
            if (step.requestId(entry) == requestId)
            {
                row(plan.row(nowNanos(), (long)step.start(entry), (long)step.advance(entry), (long)step.rejected(entry),
                    (long)step.emitted(entry), label(step.verdict(entry))));
            }
        }
    }

    @Override
    public void onWithdrawn(final RunStep landed, final WithdrawnDecoder withdrawn)
    {
        final Planned plan = landed(withdrawn.rank(), withdrawn.step());
        if (plan != null)
        {
            row(plan.row(null, null, 0L, 0L, 0L, "withdrawn: " + label(withdrawn.cause())));
        }
    }

    @Override
    void finish()
    {
        planned.sort(Comparator.comparingLong(Planned::step));
        planned.forEach(plan -> row(plan.row(null, null, null, null, null, "in-flight")));
    }
}
