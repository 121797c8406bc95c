// SPDX-License-Identifier: Apache-2.0
package com.example.embedding;

import io.signalbox.compare.ComparisonProgress;
import io.signalbox.inspect.LifeEvent;
import io.signalbox.inspect.RequestInspector;
import io.signalbox.inspect.RequestLife;
import io.signalbox.journal.ReadProgress;
import io.signalbox.router.DpRouters;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.whatif.Variant;
import io.signalbox.whatif.WhatIf;
import io.signalbox.whatif.WhatIfReport;

import java.nio.file.Path;
import java.util.List;

/** Asks a journal where a request ran, and how many decisions another router would have made otherwise. */
public final class AskJournal
{
    private AskJournal()
    {
    }

    /** @param args the journal of a run, the id of a request, and the label of a router. */
    public static void main(final String[] args)
    {
        final Path journal = Path.of(args[0]);
        for (final RequestLife life : RequestInspector.inspect(journal, Long.parseLong(args[1])).lives())
        {
            final LifeEvent.Placed placed = life.first(LifeEvent.Placed.class);
            System.out.println("request " + args[1] + " ran on rank " + placed.rank() + " and has " + life.emittedTokens() +
                " tokens");
        }
        final DpRouters routers = DpRouters.installed();
        final WhatIf question = WhatIf.of(journal, routers, ReadProgress.NONE);
        final SchedulerConfig other =
            question.config().toBuilder().router(RouterConfig.of(routers.of(args[2]))).build();
        final WhatIfReport report =
            question.ask(List.of(new Variant(args[2], other)), 1, 0, 1, ComparisonProgress.NONE);
        final WhatIfReport.Decisions decisions = report.variants().get(0).decisions();
        System.out.println(args[2] + " decides " + decisions.different() + " of " + decisions.total() + " otherwise");
    }
}
