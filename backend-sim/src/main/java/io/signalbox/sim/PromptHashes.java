// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.SeededTokens;
import io.signalbox.kv.hash.BlockHasher;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.PromptText;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.collections.Long2ObjectHashMap;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Block hashes of the prompts of a run. If the workload knows its tokens they are those of a client: a turn is hashed from
 * the last full block of the turn before it on, the answer included. Otherwise the workload names its blocks. If it also
 * names blocks of answers, these blocks get the hashes that the scheduler computes when they are decoded, and later
 * prompts have these hashes instead of the names.
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
    /** Tokens of a prompt whose blocks are named. */
    private final PromptTokens unnamed;
    /** By the name of a block that decoding fills; 0: it has no hash yet. */
    private final Long2LongHashMap answerHashes = new Long2LongHashMap(0);
    private long[] answerNames = new long[16];
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
        unnamed = new PromptTokens(workload, seed);
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
            return named(request, blocks);
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

    private int named(final WorkloadRequest request, final int blocks)
    {
        hashes = hashes.length < blocks ? new long[blocks] : hashes;
        workload.blockHashes(request, blockSizeTokens, hashes);
        for (int i = 0; i < blocks && !answerHashes.isEmpty(); i++)
        {
            final long answer = answerHashes.get(hashes[i]);
            hashes[i] = answer == answerHashes.missingValue() ? hashes[i] : answer;
        }
        final int most = request.outputTokens() / blockSizeTokens + 1;
        answerNames = answerNames.length < most ? new long[most] : answerNames;
        final int named = workload.answerNames(request, blockSizeTokens, answerNames);
        chain = NO_CHAIN;
        tailLength = 0;
        if (named > 0)
        {
            hashAnswer(request, blocks, named);
        }
        return blocks;
    }

    /** The hash continues the request's own chain, because the tokens of the named blocks are unknown. */
    private void hashAnswer(final WorkloadRequest request, final int blocks, final int named)
    {
        final Turn turn = turn(Long.toString(request.requestId()));
        chain = turn.chain.clone();
        tailLength = request.promptTokens() % blockSizeTokens;
        tail = tail.length < tailLength ? new int[blockSizeTokens] : tail;
        System.arraycopy(unnamed.of(request), request.promptTokens() - tailLength, tail, 0, tailLength);
        int known = tailLength;
        System.arraycopy(tail, 0, block, 0, known);
        for (int i = 0; i < named; i++)
        {
            for (; known < blockSizeTokens; known++)
            {
                block[known] = answers.token(request.requestId(), (blocks + i) * blockSizeTokens + known);
            }
            final long hash = hasher.extend(turn.chain, block);
            if (answerNames[i] != 0)
            {
                answerHashes.put(answerNames[i], hash);
            }
            known = 0;
        }
    }

    /** The tenant is the cache key, so that tenants share no blocks. */
    private Turn firstTurn(final WorkloadRequest request)
    {
        return turn(workload.tenant(request));
    }

    private Turn turn(final String key)
    {
        final Turn turn = new Turn(hasher.chainBytes());
        hasher.hash(NO_TOKENS, 0, key.getBytes(StandardCharsets.UTF_8), turn.hashes);
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
