// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.backend.StepTokens;
import io.signalbox.event.codec.FaultClass;

/** The report of a step: its results, or why there are none. */
record CpuStepResults(CpuStepPlan plan, StepTokens tokens, CpuRows rows, FaultClass fault, String detail)
{
    static CpuStepResults failed(final CpuStepPlan plan, final FaultClass fault, final String detail)
    {
        return new CpuStepResults(plan, null, null, fault, detail);
    }
}
