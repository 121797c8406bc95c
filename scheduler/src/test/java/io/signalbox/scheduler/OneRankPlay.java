// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import java.util.ArrayList;
import java.util.List;

/** Plays the only rank of a rig in the simplest order. */
final class OneRankPlay
{
    private OneRankPlay()
    {
    }

    /** Plays until every request has ended, with as many steps in flight as may be; returns the outputs as text. */
    static List<String> toTheEnd(final DepthRig rig)
    {
        final List<String> said = new ArrayList<>();
        rig.fill();
        while (!rig.outputs().live().isEmpty())
        {
            rig.complete(0);
            said.addAll(rig.said());
            while (rig.devices[0].canLaunch())
            {
                said.addAll(rig.launch(0).said());
            }
            rig.fill();
        }
        rig.run();
        return said;
    }

    /** Plays a number of events: a Wake if the scheduler wants one, else a launch if there is a plan, else a landing. */
    static DepthRig events(final DepthRig rig, final int events)
    {
        for (int event = 0; event < events; event++)
        {
            if (rig.scheduler.wantsWake())
            {
                rig.wake();
            }
            else if (rig.devices[0].canLaunch())
            {
                rig.launch(0);
                rig.tick(0);
            }
            else if (rig.devices[0].canLand())
            {
                rig.complete(0);
            }
        }
        return rig;
    }
}
