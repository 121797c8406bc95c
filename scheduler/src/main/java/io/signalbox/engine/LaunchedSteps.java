// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.InvariantViolation;
import io.signalbox.event.StepView;

import java.util.Arrays;

/**
 * The step that each rank was given last. The dispatching thread writes it before the backend receives the plan, so that
 * a report of the step, from any thread, finds it here. A rank's step goes from launched to answered, then to the next.
 */
final class LaunchedSteps
{
    private final Launch[] launches;

    LaunchedSteps(final int ranks)
    {
        launches = new Launch[ranks];
        Arrays.setAll(launches, rank -> new Launch());
    }

    /** @throws InvariantViolation if the rank was given the step, or a later step or epoch, before. */
    void launched(final StepView plan)
    {
        final Launch launch = launches[plan.rank()];
        if (plan.step() <= launch.step || plan.epoch() < launch.epoch)
        {
            throw new InvariantViolation("rank " + plan.rank() + " was given step " + plan.step() + " of epoch " +
                plan.epoch() + " after step " + launch.step + " of epoch " + launch.epoch +
                "; steps of a rank count upwards, and so do epochs");
        }
        launch.epoch = plan.epoch();
        launch.tokens = plan.tokens();
        launch.entries = plan.entryCount();
        launch.step = plan.step();
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

        /** @throws InvariantViolation if the rank was never given the step. */
        void answered(final long launchedStep)
        {
            if (launchedStep < 1 || launchedStep > step)
            {
                throw new InvariantViolation(
                    "step " + launchedStep + " was answered, but the last step that its rank was given is " + step);
            }
            answered = launchedStep;
        }
    }
}
