// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.experts.RoutedExperts;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The rows of recent answers by the hashes of their full KV blocks. The oldest answers are forgotten first. If two answers
 * share a block, the later one has it. Thread-safe.
 */
final class RowBlocks
{
    /** Of the maps and objects of a block, and of an answer. */
    private static final long BLOCK_BYTES = 128;
    private static final long ANSWER_BYTES = 256;

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

    /**
     * Blocks of one answer.
     *
     * @param hashes of those that it has.
     */
    private record Answer(RoutedExperts rows, long[] hashes)
    {
        private long bytes()
        {
            final int idBytes = Short.BYTES + (rows.hasCombineWeights() ? Float.BYTES : 0);
            return (long)rows.rows() * (rows.shape().rowIds() * idBytes + 1L) + hashes.length * BLOCK_BYTES + ANSWER_BYTES;
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
        final int[] whole = IntStream.range(0, hashes.length).filter(index -> isWhole(rows, first(rows, index))).toArray();
        final Answer answer = new Answer(rows, Arrays.stream(whole).mapToLong(index -> hashes[index]).toArray());
        if (whole.length == 0 || answer.bytes() > mostBytes)
        {
            return;
        }
        answers.addLast(answer);
        bytes += answer.bytes();
        for (final int index : whole)
        {
            blocks.put(hashes[index], new Block(rows, first(rows, index)));
        }
        while (bytes > mostBytes)
        {
            forget(answers.removeFirst());
        }
    }

    private int first(final RoutedExperts rows, final int block)
    {
        return block * blockSizeTokens - rows.start();
    }

    private boolean isWhole(final RoutedExperts rows, final int first)
    {
        return first >= 0 && first + blockSizeTokens <= rows.rows() && IntStream.range(first, first + blockSizeTokens)
            .noneMatch(row -> rows.state(row) == RoutedExperts.RowState.MISSING);
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
