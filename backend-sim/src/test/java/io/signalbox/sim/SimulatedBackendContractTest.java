// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.backend.Backend;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.testkit.BackendContractTest;
import io.signalbox.workload.SplitMix64;

import java.util.function.LongSupplier;

/** The simulated ranks keep the contract of backends; virtual time moves when nothing else is to do. */
class SimulatedBackendContractTest extends BackendContractTest
{
    @Override
    protected Backend backend()
    {
        return new SimulatedBackend(SimulationConfig.DEFAULT,
            SchedulerConfig.builder().depth(SchedulerConfig.MAX_DEPTH).build(), SplitMix64::mix);
    }

    /** Virtual time. */
    @Override
    protected LongSupplier clock()
    {
        return null;
    }

    @Override
    protected boolean work(final Backend backend)
    {
        final SimulatedBackend ranks = (SimulatedBackend)backend;
        final boolean due = ranks.nextNanos() != EventQueue.NEVER;
        if (due)
        {
            ranks.now(ranks.nextNanos());
            ranks.fireNext();
        }
        return due;
    }
}
