// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.inspect;

import io.signalbox.cuda.CudaBackend;
import io.signalbox.sim.SimulationConfig;

/** A question that asks the simulator and the GPU instead of the journal. */
final class BadInspection
{
    boolean answer(final SimulationConfig config, final CudaBackend backend)
    {
        return config.equals(backend);
    }
}
