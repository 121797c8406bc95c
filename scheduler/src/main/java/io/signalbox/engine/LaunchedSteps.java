// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.PlanRows;
import io.signalbox.event.codec.ScheduleDecoder;

import java.util.Arrays;

/**
 * The step that each rank was given last. The dispatching thread writes it before the backend has the plan, so that a
 * report of the step, from any thread, finds it here.
 */
final class LaunchedSteps
{
    private final Launch[] launches;

    LaunchedSteps(final int ranks)
    {
        launches = new Launch[ranks];
        Arrays.setAll(launches, rank -> new Launch());
    }

    /** @param plan groups not yet read; afterwards they are. */
    void launched(final ScheduleDecoder plan)
    {
        final Launch launch = launches[plan.rank()];
        final long step = plan.step();
        launch.epoch = plan.epoch();
        launch.tokens = plan.tokens();
        launch.entries = PlanRows.of(plan).count();
        launch.step = step;
    }

    int ranks()
    {
        return launches.length;
    }

    Launch of(final int rank)
    {
        return launches[rank];
    }

    /** A rank's last step. The other fields are those of {@code step} or, if the step is given up, of a later one. */
    static final class Launch
    {
        private int epoch;
        private int tokens;
        private int entries;
        /** Written last and read first; steps count from 1. */
        private volatile long step;
        private volatile long answered;

        long step()
        {
            return step;
        }

        int epoch()
        {
            return epoch;
        }

        int tokens()
        {
            return tokens;
        }

        int entries()
        {
            return entries;
        }

        /** Whether a result or a fault of the step is in the ingress ring. */
        boolean isAnswered(final long launchedStep)
        {
            return answered == launchedStep;
        }

        void answered(final long launchedStep)
        {
            answered = launchedStep;
        }
    }
}
