// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.workload.SplitMix64;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;

import java.util.List;
import java.util.Map;

/** A workload written down by hand; requests of one conversation share their prefix. */
record ListWorkload(List<WorkloadRequest> requests) implements Workload
{
    static ListWorkload of(final WorkloadRequest... requests)
    {
        return new ListWorkload(List.of(requests));
    }

    static WorkloadRequest arriving(final long id, final long nanos, final int promptTokens, final int outputTokens)
    {
        return WorkloadRequest.arriving(id, nanos, promptTokens, outputTokens).ofConversation(0);
    }

    static WorkloadRequest following(final long id, final long predecessorId, final long thinkTimeNanos)
    {
        return WorkloadRequest.following(id, predecessorId, thinkTimeNanos, 64, 2).ofConversation(0);
    }

    static WorkloadRequest waiting(final long id, final long thinkTimeNanos)
    {
        return WorkloadRequest.following(id, -1, thinkTimeNanos, 16, 1).ofConversation(0);
    }

    @Override
    public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        final int blocks = request.promptTokens() / blockSizeTokens;
        for (int i = 0; i < blocks; i++)
        {
            target[i] = SplitMix64.mix(request.conversationId(), i) >>> 1;
        }
        return blocks;
    }

    @Override
    public Map<String, String> settings()
    {
        return Map.of("workload.kind", "list");
    }
}
