// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.experts.RoutedExperts;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * The rows of recent answers by the hashes of their full KV blocks. The oldest answers are forgotten first. If two answers
 * share a block, the later one has it. Thread-safe.
 */
final class RowBlocks
{
    private final long mostBytes;
    private final int blockSizeTokens;
    private final Map<Long, Block> blocks = new HashMap<>();
    private final ArrayDeque<Answer> answers = new ArrayDeque<>();
    private long bytes;

    /**
     * The rows of one block.
     *
     * @param first index of its first row.
     */
    record Block(RoutedExperts rows, int first)
    {
    }

    /** Blocks of one answer. */
    private record Answer(RoutedExperts rows, long[] hashes)
    {
        private long bytes()
        {
            return (long)rows.rows() * (rows.shape().rowIds() * Short.BYTES + 1L);
        }
    }

    RowBlocks(final long mostBytes, final int blockSizeTokens)
    {
        this.mostBytes = mostBytes;
        this.blockSizeTokens = blockSizeTokens;
    }

    int blockSizeTokens()
    {
        return blockSizeTokens;
    }

    /** @param hashes of the full blocks from position 0 on; those without all their rows are left out. */
    synchronized void keep(final RoutedExperts rows, final long[] hashes)
    {
        final Answer answer = new Answer(rows, hashes);
        if (answer.bytes() > mostBytes)
        {
            return;
        }
        answers.addLast(answer);
        bytes += answer.bytes();
        for (int index = 0; index < hashes.length; index++)
        {
            final int first = index * blockSizeTokens - rows.start();
            if (first >= 0 && first + blockSizeTokens <= rows.rows())
            {
                blocks.put(hashes[index], new Block(rows, first));
            }
        }
        while (bytes > mostBytes)
        {
            forget(answers.removeFirst());
        }
    }

    private void forget(final Answer answer)
    {
        bytes -= answer.bytes();
        for (final long hash : answer.hashes())
        {
            blocks.computeIfPresent(hash, (key, block) -> block.rows() == answer.rows() ? null : block);
        }
    }

    /** {@code null}: there is none, or it was forgotten. */
    synchronized Block find(final long hash)
    {
        return blocks.get(hash);
    }
}
