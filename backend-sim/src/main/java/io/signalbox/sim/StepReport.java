// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

/** The completion of a step that a fault delays, repeats or holds back. */
record StepReport(int rank, SimulatedStep step)
{
}
