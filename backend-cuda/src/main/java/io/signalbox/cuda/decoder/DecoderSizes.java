// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

/**
 * Sizes of one rank's memory.
 *
 * @param kvBlocks     block ids are below it.
 * @param blockSize    tokens of a block.
 * @param maxPositions positions of the longest sequence.
 * @param slots        slots of the capture ring.
 * @param maxSampled   most tokens that a step samples.
 * @param drafts       whether steps may have draft tokens.
 */
public record DecoderSizes(int kvBlocks, int blockSize, int maxPositions, int slots, int maxSampled, boolean drafts)
{
}
