// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.codec.WeightsWay;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A cache generation means the same on every rank, because a request takes it along when its rank is lost. */
class GenerationsOfRanksTest
{
    @ParameterizedTest
    @CsvSource({"CONTINUE, 40, 1", "CONTINUE, 40, 3", "CONTINUE, 6, 3", "CONTINUE, 9, 5", "REQUEUE, 6, 3", "REQUEUE, 40, 1"})
    void shouldShareNothingAcrossWeightsAfterTheResetOfOneRank(final WeightsWay way, final int prompt, final int steps)
    {
        final DepthRig rig = new DepthRig(DepthRig.smallConfig(1, 0, 60).ranks(2).ranksReturn(true).build(), 0);
        rig.resetRank(1);
        submit(rig, prompt, 9);
        submit(rig, prompt, 9);
        rig.wake();
        for (int landed = 0; landed < steps; landed++)
        {
            step(rig, 1);
        }
        rig.newWeights(way);
        wake(rig);
        launch(rig, 1);
        rig.timeOut(1, rig.devices[1].inFlight(0));
        finish(rig);
        submit(rig, prompt, 3);
        finish(rig);
        rig.outputs().checkRowsAgain();
    }

    private static void submit(final DepthRig rig, final int prompt, final int newTokens)
    {
        rig.submit(new ModelContent.Prompt(3, prompt, prompt, newTokens, -1), 0, -1);
    }

    private static void finish(final DepthRig rig)
    {
        for (int i = 0; i < 200; i++)
        {
            step(rig, 0);
        }
    }

    private static void step(final DepthRig rig, final int rank)
    {
        wake(rig);
        launch(rig, rank);
        if (rig.devices[rank].canLand())
        {
            rig.complete(rank);
        }
    }

    private static void wake(final DepthRig rig)
    {
        if (rig.scheduler.wantsWake())
        {
            rig.wake();
        }
    }

    private static void launch(final DepthRig rig, final int rank)
    {
        if (rig.devices[rank].canLaunch())
        {
            rig.launch(rank);
        }
    }
}
