// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;

/** The report of a step: its results, or why there are none. */
record CpuStepResults(CpuStepPlan plan, StepTokens tokens, CpuRows rows, StepFault fault, String detail)
{
    static CpuStepResults failed(final CpuStepPlan plan, final StepFault fault, final String detail)
    {
        return new CpuStepResults(plan, null, null, fault, detail);
    }
}
