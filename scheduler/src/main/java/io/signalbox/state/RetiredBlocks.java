// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

/**
 * The blocks of a request that has ended while steps in flight may still write them.
 *
 * @param fence the step that frees them when it has landed.
 */
record RetiredBlocks(long fence, int[] blocks)
{
}
