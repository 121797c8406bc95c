// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

/**
 * The settings of a run on which the meaning of its events depends.
 *
 * @param ranks             DP ranks.
 * @param kvBlocks          KV blocks of a rank, the dummy block included.
 * @param blockTokens       tokens of a KV block.
 * @param keepsCachedBlocks whether a block with a hash stays cached when its last owner releases it.
 * @param inOrder           whether requests of one priority leave the queue in the order of their arrival.
 * @param capture           whether rows are captured, so that a request that has ended may wait for its client.
 */
public record StateShape(
    int ranks, int kvBlocks, int blockTokens, boolean keepsCachedBlocks, boolean inOrder, boolean capture)
{
    public StateShape
    {
        if (ranks < 1 || kvBlocks < 2 || blockTokens < 1)
        {
            throw new IllegalArgumentException("a run has no " + ranks + " ranks of " + kvBlocks + " KV blocks of " +
                blockTokens + " tokens");
        }
    }
}
