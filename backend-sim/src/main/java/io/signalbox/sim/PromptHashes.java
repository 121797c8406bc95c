// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.SeededTokens;
import io.signalbox.kv.hash.BlockHasher;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.PromptText;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.agrona.collections.Long2ObjectHashMap;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Block hashes of the prompts of a run. If the workload knows its tokens they are those of a client: a turn is hashed from
 * the last full block of the turn before it on, the answer included. Otherwise the workload names its blocks, and what
 * follows the last one is unknown.
 */
final class PromptHashes
{
    private static final int[] NO_TOKENS = {};
    private static final byte[] NO_CHAIN = {};

    /** A hashed prompt to which a later one adds. */
    private static final class Turn
    {
        private final byte[] chain;
        private long[] hashes = new long[16];
        private int blocks;

        private Turn(final int chainBytes)
        {
            chain = new byte[chainBytes];
        }
    }

    private final Workload workload;
    private final PromptText text;
    private final PromptText.Answers answers;
    private final int blockSizeTokens;
    private final BlockHasher hasher;
    /** By the last request that was hashed of each conversation. */
    private final Long2ObjectHashMap<Turn> turns = new Long2ObjectHashMap<>();
    private final BitSet followed = new BitSet();
    private final int[] block;
    private long[] hashes = new long[16];
    private byte[] chain = NO_CHAIN;
    private int[] tail = NO_TOKENS;
    private int tailLength;

    /** @param seed of the simulated devices, which sample the answers. */
    PromptHashes(final Workload workload, final SchedulerConfig config, final long seed)
    {
        this.workload = workload;
        text = workload.text();
        answers = (requestId, position) -> SeededTokens.token(seed, requestId, position);
        blockSizeTokens = config.blockSizeTokens();
        hasher = BlockHasher.of(config.blockHash(), blockSizeTokens);
        block = new int[blockSizeTokens];
        for (final WorkloadRequest request : workload.requests())
        {
            if (text != null && request.predecessorId() > 0)
            {
                followed.set((int)request.predecessorId());
            }
        }
    }

    /** Hashes the prompt of a request; returns the number of its full blocks. */
    int hash(final WorkloadRequest request)
    {
        final int blocks = request.promptTokens() / blockSizeTokens;
        if (text == null)
        {
            hashes = hashes.length < blocks ? new long[blocks] : hashes;
            return workload.blockHashes(request, blockSizeTokens, hashes);
        }
        Turn turn = turns.remove(request.predecessorId());
        turn = turn == null ? firstTurn(request) : turn;
        turn.hashes = turn.hashes.length < blocks ? Arrays.copyOf(turn.hashes, 2 * blocks) : turn.hashes;
        for (; turn.blocks < blocks; turn.blocks++)
        {
            final int from = turn.blocks * blockSizeTokens;
            text.tokens(request, from, from + blockSizeTokens, answers, block);
            turn.hashes[turn.blocks] = hasher.extend(turn.chain, block);
        }
        tailLength = request.promptTokens() % blockSizeTokens;
        tail = tail.length < tailLength ? new int[blockSizeTokens] : tail;
        text.tokens(request, blocks * blockSizeTokens, request.promptTokens(), answers, tail);
        hashes = turn.hashes;
        chain = turn.chain.clone();
        if (followed.get((int)request.requestId()))
        {
            turns.put(request.requestId(), turn);
        }
        return blocks;
    }

    /** The tenant is the cache key, so that tenants share no blocks. */
    private Turn firstTurn(final WorkloadRequest request)
    {
        final Turn turn = new Turn(hasher.chainBytes());
        hasher.hash(NO_TOKENS, 0, workload.tenant(request).getBytes(StandardCharsets.UTF_8), turn.hashes);
        hasher.chain(turn.chain);
        return turn;
    }

    /** A hash of the last prompt. */
    long hash(final int index)
    {
        return hashes[index];
    }

    /** State of the hash behind the last full block of the last prompt; empty if it is not known. */
    byte[] chain()
    {
        return chain;
    }

    /** Number of tokens behind that block that are known. */
    int tailLength()
    {
        return tailLength;
    }

    int tail(final int index)
    {
        return tail[index];
    }
}
