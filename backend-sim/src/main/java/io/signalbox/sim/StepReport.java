// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

/**
 * The completion of a step that a fault delays, repeats or spoils.
 *
 * @param sampled one token per entry of the step.
 * @param tokens  tokens of the step, each with a row.
 */
record StepReport(int epoch, int rank, long step, int[] sampled, int tokens, Fault fault)
{
}
