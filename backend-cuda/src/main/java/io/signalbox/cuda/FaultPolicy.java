// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

/** The fate of the other ranks when CUDA fails on one. */
public enum FaultPolicy
{
    /** They continue; those on the same device meet the error themselves if it broke the context. */
    LOSE_RANK,
    /** All ranks are given up, so that the engine ends what runs and places nothing more. */
    LOSE_ALL_RANKS
}
