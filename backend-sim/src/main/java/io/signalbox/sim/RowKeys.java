// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.workload.PromptText;
import io.signalbox.workload.SplitMix64;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;

import java.util.Arrays;

/**
 * Decides the routed experts of a token by its content: that is the token and all before it, if the workload knows tokens.
 * Otherwise, for a token of a block with a name, it is the name and the place in the block, so that requests with a
 * common prefix have common rows; for any other token the request and the position. So no schedule changes a row.
 */
final class RowKeys implements SimulatedBackend.RowKey
{
    private final Workload workload;
    private final PromptText text;
    private final int blockSizeTokens;
    private final long[] names;
    private final long[] answerNames;
    /** By index of a request: the block of its last single token, or -1, and the name of that block. */
    private final int[] lastBlocks;
    private final long[] lastNames;
    private long namedRequest = -1;
    private int promptBlocks;
    private int answerBlocks;

    RowKeys(final Workload workload, final int blockSizeTokens)
    {
        this.workload = workload;
        this.blockSizeTokens = blockSizeTokens;
        text = workload.text();
        final int longest = workload.requests().stream().mapToInt(WorkloadRequest::promptTokens).max().orElse(0);
        final int answer = workload.requests().stream().mapToInt(WorkloadRequest::outputTokens).max().orElse(0);
        names = new long[text == null ? longest / blockSizeTokens : 0];
        answerNames = new long[text == null ? answer / blockSizeTokens + 1 : 0];
        lastBlocks = new int[text == null ? workload.requests().size() : 0];
        lastNames = new long[lastBlocks.length];
        Arrays.fill(lastBlocks, -1);
    }

    /**
     * The key of one token. Steps decode many requests by one token each, so the name of the block is kept for each request.
     * Requests are numbered from 1 in the order of the workload.
     */
    @Override
    public long key(final long requestId, final int position)
    {
        final int index = (int)requestId - 1;
        if (text != null)
        {
            return text.contentKey(workload.requests().get(index), position);
        }
        final int block = position / blockSizeTokens;
        if (lastBlocks[index] != block)
        {
            findNames(requestId, workload.requests().get(index));
            lastNames[index] = name(requestId, block);
            lastBlocks[index] = block;
        }
        return SplitMix64.mix(lastNames[index], position);
    }

    /** The name of a block of the request; if the block has no name, the request. */
    private long name(final long requestId, final int block)
    {
        final long name = block < promptBlocks ? names[block] :
            block - promptBlocks < answerBlocks ? answerNames[block - promptBlocks] : 0;
        return name == 0 ? requestId : name;
    }

    private void findNames(final long requestId, final WorkloadRequest request)
    {
        if (requestId != namedRequest)
        {
            namedRequest = requestId;
            promptBlocks = workload.blockHashes(request, blockSizeTokens, names);
            answerBlocks = workload.answerNames(request, blockSizeTokens, answerNames);
        }
    }

    /** A step may have thousands of tokens of one request: each block is looked up once. */
    @Override
    public void keys(final long requestId, final int start, final int count, final long[] keys)
    {
        final WorkloadRequest request = workload.requests().get((int)requestId - 1);
        if (text != null || count == 1)
        {
            SimulatedBackend.RowKey.super.keys(requestId, start, count, keys);
            return;
        }
        findNames(requestId, request);
        int done = 0;
        while (done < count)
        {
            final int block = (start + done) / blockSizeTokens;
            final int next = Math.min(count, (block + 1) * blockSizeTokens - start);
            mix(name(requestId, block), start + done, keys, done, next);
            done = next;
        }
    }

    private static void mix(final long first, final int position, final long[] keys, final int from, final int to)
    {
        for (int i = from; i < to; i++)
        {
            keys[i] = SplitMix64.mix(first, position + i - from);
        }
    }
}
