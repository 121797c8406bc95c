// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.serving.DraftSource;

/**
 * Limits of what a decoder on the device can be fed: the kernels check nothing.
 *
 * @param vocabulary   token ids are below it.
 * @param maxPositions positions are below it.
 * @param maxEntries   most entries of a step.
 * @param feedBytes    room of a step for block tables, sampling and guesses.
 * @param drafts       guesses draft tokens; null: steps have none.
 */
record DecoderLimits(int vocabulary, int maxPositions, int maxEntries, long feedBytes, DraftSource drafts)
{
}
