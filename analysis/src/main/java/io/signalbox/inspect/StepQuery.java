// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.WithdrawnDecoder;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Lists the steps that computed tokens of one request, as they landed; withdrawn ones are among them. */
public final class StepQuery extends JournalQuery
{
    private final long requestId;
    /** Steps in flight; at most as many as the depth. */
    private final List<Planned> planned = new ArrayList<>();

    /** An entry of the request in a step that has not landed. */
    private record Planned(int rank, long step, long nanos, int tokens)
    {
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
    public List<TableColumn> columns()
    {
        return List.of(TableColumn.number("step"), TableColumn.number("rank"), TableColumn.seconds("planned"),
            TableColumn.seconds("landed"), TableColumn.number("planTokens"), TableColumn.number("start"),
            TableColumn.number("advance"), TableColumn.number("rejected"), TableColumn.number("emitted"),
            TableColumn.text("verdict"));
    }

    @Override
    protected void onSchedule(final StepView plan)
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
    protected void onCommit(final CommitView step)
    {
        final Planned plan = landed(step.rank(), step.step());
        for (int entry = 0; plan != null && entry < step.entryCount(); entry++)
        {
            if (step.requestId(entry) == requestId)
            {
                row(plan.step, (long)plan.rank, plan.nanos, nowNanos(), (long)plan.tokens, (long)step.start(entry),
                    (long)step.advance(entry), (long)step.rejected(entry), (long)step.emitted(entry),
                    label(step.verdict(entry)));
            }
        }
    }

    @Override
    protected void onWithdrawn(final WithdrawnDecoder withdrawn)
    {
        final Planned plan = landed(withdrawn.rank(), withdrawn.step());
        if (plan != null)
        {
            row(plan.step, (long)plan.rank, plan.nanos, null, (long)plan.tokens, null, 0L, 0L, 0L,
                "withdrawn: " + label(withdrawn.cause()));
        }
    }

    @Override
    void finish()
    {
        planned.sort(Comparator.comparingLong(Planned::step));
        planned.forEach(plan -> row(
            plan.step, (long)plan.rank, plan.nanos, null, (long)plan.tokens, null, null, null, null, "in-flight"));
    }
}
