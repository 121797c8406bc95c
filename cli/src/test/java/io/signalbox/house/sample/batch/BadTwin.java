// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.batch;

import io.signalbox.house.sample.reference.RecordedPlan;

/** A planner that can be switched to what another system does. */
final class BadTwin
{
    int steps(final RecordedPlan plan)
    {
        return plan.steps();
    }
}
