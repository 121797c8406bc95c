// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

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
        final Steps steps = new Steps();
        final TraceWalk walk = new TraceWalk("step", false, steps);
        walk.walk(header, records);
        return walk.outcome(remarks(steps.replays));
    }

    private static List<String> remarks(final List<ContextReplay> replays)
    {
        final List<String> remarks = new ArrayList<>();
        remark(remarks, replays.stream().mapToInt(ContextReplay::keptRouting).sum(),
            "finished requests kept routing that the original lost");
        remark(remarks, replays.stream().mapToInt(ContextReplay::defects).sum(),
            "layouts are by the block table where the original took another row's block; the trace ends there, and the " +
            "rows computed until then are those of the oracle");
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

    private static final class Steps implements TraceWalk.Replay
    {
        private final List<ContextReplay> replays = new ArrayList<>();

        @Override
        public void begin(final TraceRecord init)
        {
            init.only("the record", Set.of("t", "op", "args"));
            replays.add(new ContextReplay(init.record("args")));
        }

        @Override
        public void next(final TraceRecord record)
        {
            replays.get(replays.size() - 1).step(record);
        }

        @Override
        public void end()
        {
            replays.get(replays.size() - 1).end();
        }
    }
}
