// SPDX-License-Identifier: Apache-2.0
package com.example.experiment;

import io.signalbox.engine.FinishReason;
import io.signalbox.experts.ModelShape;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.testkit.EngineHarness;
import io.signalbox.testkit.HarnessPlay;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class TwoChoicesHarnessTest
{
    private static final RouterConfig ROUTER = RouterConfig.of(new TwoChoicesDpRouter.Provider());

    /** A later turn that comes back to the rank of its conversation finds its prefix there. */
    @Test
    void theNextTurnFindsItsPrefix()
    {
        final SchedulerConfig config =
            SchedulerConfig.builder().ranks(4).router(ROUTER).capture(new ModelShape(3, 16, 2)).build();
        try (EngineHarness engine = EngineHarness.of(config))
        {
            engine.request(1).prompt(40).generate(3).with(request -> request.conversation(7)).submit();
            engine.run();
            engine.request(1).assertEnded(FinishReason.LENGTH).assertGenerated(3).assertRows(42, 0);

            engine.request(2).prompt(60).beginsLike(1, 40).generate(3).with(request -> request.conversation(7)).submit();
            engine.complete(engine.request(2).rank());
            engine.request(2).assertGenerated(1).assertOnRank(engine.request(1).rank());
            engine.run();
            engine.request(2).assertRows(62 - 32, 32);
        }
    }

    /** Whatever completes, fails or is cancelled, in small pools: no request, token or row suffers from the router. */
    @Property(tries = 100)
    void everyPlayEndsAsTheModelSays(@ForAll final SchedulerConfig pool, @ForAll final HarnessPlay play)
    {
        try (EngineHarness engine = EngineHarness.of(pool.toBuilder().router(ROUTER).build()))
        {
            engine.play(play).assertAllAsTheModelSays();
        }
    }
}
