// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;

/** Traces of Megatron Core's scheduler bookkeeping, step by step, through the paging profile MEGATRON. */
final class MegatronContextTrace implements TraceRunner
{
    @Override
    public String format()
    {
        return "megatron-context-trace/1";
    }

    @Override
    public Outcome run(final JsonNode header, final Iterable<JsonNode> records)
    {
        final List<ContextReplay> replays = new ArrayList<>();
        final List<String> divergences = new ArrayList<>();
        int compared = 0;
        long divergedTrace = -1;
        for (final JsonNode node : records)
        {
            final TraceRecord record = TraceRecord.of(node);
            if (record.number("t") == divergedTrace)
            {
                continue;
            }
            compared++;
            try
            {
                replay(record, replays);
            }
            // Whatever the planner throws is a difference as well: the original went on.
            catch (final RuntimeException | AssertionError e)
            {
                divergedTrace = record.number("t");
                divergences.add("trace " + divergedTrace + ", " +
                    (record.has("step") ? "step " + record.number("step") : "init") + ", " +
                    (e instanceof Divergence ? e.getMessage() : "failed with " + e));
            }
        }
        return new Outcome(
            compared, divergences.size(), divergences.isEmpty() ? null : divergences.get(0), remarks(replays));
    }

    private static void replay(final TraceRecord record, final List<ContextReplay> replays)
    {
        if (record.text("op").equals("init"))
        {
            replays.add(new ContextReplay(record.record("args")));
        }
        else
        {
            replays.get(replays.size() - 1).step(record);
        }
    }

    private static List<String> remarks(final List<ContextReplay> replays)
    {
        final List<String> remarks = new ArrayList<>();
        remark(remarks, replays.stream().mapToInt(ContextReplay::keptRouting).sum(),
            "finished requests kept routing that the original lost");
        remark(remarks, replays.stream().mapToInt(ContextReplay::defects).sum(),
            "layouts are by the block table where the original took another row's block");
        remark(remarks, replays.stream().mapToInt(ContextReplay::stalls).sum(),
            "traces end in a queue that an evicted request blocks for ever");
        remark(remarks, replays.stream().mapToInt(ContextReplay::faults).sum(),
            "traces end in an exception of the original");
        return remarks;
    }

    private static void remark(final List<String> remarks, final int count, final String what)
    {
        if (count > 0)
        {
            remarks.add(count + " " + what);
        }
    }
}
