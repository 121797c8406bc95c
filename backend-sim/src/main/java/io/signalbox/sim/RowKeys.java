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
final class RowKeys
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
    long key(final long requestId, final int position)
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
        if (requestId != hashedRequest)
        {
            hashedRequest = requestId;
            hashCount = workload.blockHashes(request, blockSizeTokens, hashes);
        }
        final int block = position / blockSizeTokens;
        return block < hashCount ? SplitMix64.mix(hashes[block], position) : SplitMix64.mix(requestId, position);
    }
}
