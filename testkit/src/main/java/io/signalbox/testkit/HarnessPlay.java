// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;


import io.signalbox.engine.WeightSwap;

import java.util.List;

/**
 * A workload, and the order in which its requests come, its steps launch, complete and fail. jqwik makes and shrinks
 * plays: a property takes one as {@code @ForAll HarnessPlay}.
 */
public record HarnessPlay(List<PlannedRequest> requests, List<HarnessAct> acts)
{
    void perform(final EngineHarness engine, final int ranks)
    {
        int submitted = 0;
        for (final HarnessAct act : acts)
        {
            if (act.kind() == HarnessAct.Kind.SUBMIT && submitted < requests.size())
            {
                requests.get(submitted).submit(engine, ++submitted);
            }
            else
            {
                perform(engine, act, act.choice() % ranks, submitted);
            }
        }
        while (submitted < requests.size())
        {
            requests.get(submitted).submit(engine, ++submitted);
        }
    }

    private static void perform(final EngineHarness engine, final HarnessAct act, final int rank, final int submitted)
    {
        switch (act.kind())
        {
            case LAUNCH -> engine.tryLaunch(rank);
            case COMPLETE, FAIL, LOSE ->
            {
                if (engine.stepsInFlight(rank) > 0)
                {
                    answer(engine, act.kind(), rank);
                }
            }
            case CANCEL ->
            {
                if (submitted > 0)
                {
                    engine.request(1 + act.choice() % submitted).cancel();
                }
            }
            case RESET_CACHE -> engine.resetCache();
            case NEW_WEIGHTS -> engine.newWeights(WeightSwap.REQUEUE);
            default ->
            {
                // Every request was submitted.
            }
        }
    }

    private static void answer(final EngineHarness engine, final HarnessAct.Kind kind, final int rank)
    {
        if (kind == HarnessAct.Kind.COMPLETE)
        {
            engine.complete(rank);
        }
        else if (kind == HarnessAct.Kind.FAIL)
        {
            engine.fail(rank);
        }
        else
        {
            engine.lose(rank);
        }
    }
}
