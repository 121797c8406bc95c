// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.workload.PromptText;
import io.signalbox.workload.SplitMix64;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;

/**
 * Decides the routed experts of a token by its content: that is the token and all before it, if the workload knows tokens.
 * Otherwise, for a token of a prompt block with a hash, it is the hash and the place in the block, so that requests with a
 * common prefix have common rows; for any other token the request and the position. So no schedule changes a row.
 */
final class RowKeys implements SimulatedBackend.RowKey
{
    private final Workload workload;
    private final PromptText text;
    private final int blockSizeTokens;
    private final long[] hashes;
    private long hashedRequest = -1;
    private int hashCount;

    RowKeys(final Workload workload, final int blockSizeTokens)
    {
        this.workload = workload;
        this.blockSizeTokens = blockSizeTokens;
        text = workload.text();
        final int longest = workload.requests().stream().mapToInt(WorkloadRequest::promptTokens).max().orElse(0);
        hashes = new long[text == null ? longest / blockSizeTokens : 0];
    }

    /** Requests are numbered from 1 in the order of the workload. */
    @Override
    public long key(final long requestId, final int position)
    {
        final WorkloadRequest request = workload.requests().get((int)requestId - 1);
        if (text != null)
        {
            return text.contentKey(request, position);
        }
        if (position >= request.promptTokens())
        {
            return SplitMix64.mix(requestId, position);
        }
        findHashes(requestId, request);
        final int block = position / blockSizeTokens;
        return SplitMix64.mix(block < hashCount ? hashes[block] : requestId, position);
    }

    private void findHashes(final long requestId, final WorkloadRequest request)
    {
        if (requestId != hashedRequest)
        {
            hashedRequest = requestId;
            hashCount = workload.blockHashes(request, blockSizeTokens, hashes);
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
        findHashes(requestId, request);
        final int hashed = Math.min(request.promptTokens(), hashCount * blockSizeTokens);
        int done = 0;
        while (done < count)
        {
            final int position = start + done;
            final boolean isHashed = position < hashed;
            final int block = position / blockSizeTokens;
            final int end = isHashed ? Math.min(hashed, (block + 1) * blockSizeTokens) : start + count;
            final int next = Math.min(count, end - start);
            mix(isHashed ? hashes[block] : requestId, position, keys, done, next);
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
