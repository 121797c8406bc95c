// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.event.InputWriter;
import io.signalbox.workload.WorkloadRequest;

/** Encodes the Submits of a workload. */
interface Submits
{
    /** Whether clients want routed-expert rows, and so release them when their request has ended. */
    boolean wantsRows();

    void write(InputWriter inputs, WorkloadRequest request, long timeNanos);
}
