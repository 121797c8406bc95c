// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

/** Mistakes in reading a plan; each must change a token or a log-probability. */
enum ToyPlant
{
    NONE, TOKEN_BEFORE, TABLE_SWAPPED, NO_CACHE_KEY, NO_SEED, START_OF_THE_PLAN, NO_END, LOGPROB_OF_THE_NEXT
}
