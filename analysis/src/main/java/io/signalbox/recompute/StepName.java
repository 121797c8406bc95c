// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

/** A step of a run: the steps of a rank have different numbers in all epochs. */
record StepName(int rank, long step)
{
    @Override
    public String toString()
    {
        return "step " + step + " of rank " + rank;
    }
}
