// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

/** Told now and then, in the thread that runs the simulation, how far it has come. */
@FunctionalInterface
public interface SimulationProgress
{
    SimulationProgress NONE = (ended, total, simulatedNanos) -> { };

    /**
     * Called after each request that has ended.
     *
     * @param ended requests that have ended or will never be submitted.
     * @param total requests of the workload.
     */
    void onProgress(int ended, int total, long simulatedNanos);
}
