// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.backend.Backend;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.testkit.BackendContractTest;
import org.junit.jupiter.api.Tag;

/** The simulated ranks in real time keep the contract of backends. */
@Tag("threads")
class PacedBackendContractTest extends BackendContractTest
{
    @Override
    protected Backend backend()
    {
        return new PacedBackend(SimulationConfig.DEFAULT, SchedulerConfig.builder().build(), 1000, 0);
    }

    @Override
    protected int vocabularySize()
    {
        return SimulatedVocabulary.SIZE;
    }
}
