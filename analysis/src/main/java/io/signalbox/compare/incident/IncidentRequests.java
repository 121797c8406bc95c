// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare.incident;

import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.scheduler.CachedPrefixes;
import io.signalbox.workload.SplitMix64;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Requests of a scenario. A prompt may begin with a shared prefix, and continues the earlier turns of its session. */
final class IncidentRequests implements Workload
{
    private static final long FIRST_SESSION = 1L << 32;

    private final List<WorkloadRequest> requests = new ArrayList<>();
    private final List<Integer> sharedTokens = new ArrayList<>();

    /** Tokens that all prompts of the next requests begin with. */
    private int shared;

    IncidentRequests sharing(final int tokens)
    {
        shared = tokens;
        return this;
    }

    /** Adds a request that begins a session. @return its id. */
    long arriving(final long nanos, final int promptTokens, final int outputTokens)
    {
        final long id = requests.size() + 1;
        return add(WorkloadRequest.arriving(id, nanos, promptTokens, outputTokens).ofConversation(id));
    }

    /** Adds the next turn after another request. @return its id. */
    long following(final long predecessor, final long thinkNanos, final int promptTokens, final int outputTokens)
    {
        return add(WorkloadRequest.following(requests.size() + 1, predecessor, thinkNanos, promptTokens, outputTokens)
            .ofConversation(requests.get((int)predecessor - 1).conversationId()));
    }

    /** Adds a request of a session of its own that arrives when another one has ended. @return its id. */
    long after(final long predecessor, final int promptTokens, final int outputTokens)
    {
        final long id = requests.size() + 1;
        return add(WorkloadRequest.following(id, predecessor, 0, promptTokens, outputTokens).ofConversation(id));
    }

    private long add(final WorkloadRequest request)
    {
        requests.add(request);
        sharedTokens.add(shared);
        return request.requestId();
    }

    /** The shared prefix in the caches of the first ranks; the other caches are empty. */
    CachedPrefixes cachedOn(final int ranksWithIt, final int ranks, final int blockSizeTokens)
    {
        final List<CachedPrefixes.Block> blocks = new ArrayList<>();
        long parent = KvBlockAllocator.NO_HASH;
        for (int end = blockSizeTokens; end <= shared; end += blockSizeTokens)
        {
            final long name = name(0, end - 1);
            blocks.add(new CachedPrefixes.Block(name, parent, blocks.size(), 1));
            parent = name;
        }
        final List<List<CachedPrefixes.Block>> all = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++)
        {
            all.add(rank < ranksWithIt ? List.copyOf(blocks) : List.of());
        }
        return new CachedPrefixes(all);
    }

    private static long name(final long session, final int lastToken)
    {
        return Math.max(1, SplitMix64.mix(session, lastToken) & Long.MAX_VALUE);
    }

    private long name(final WorkloadRequest request, final int lastToken)
    {
        final boolean isShared = lastToken < sharedTokens.get(indexOf(request.requestId()));
        return name(isShared ? 0 : FIRST_SESSION + request.conversationId(), lastToken);
    }

    @Override
    public List<WorkloadRequest> requests()
    {
        return requests;
    }

    @Override
    public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        return names(request, 0, request.promptTokens() / blockSizeTokens, blockSizeTokens, target);
    }

    @Override
    public int answerNames(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        return names(request, request.promptTokens() / blockSizeTokens,
            (request.promptTokens() + request.outputTokens()) / blockSizeTokens, blockSizeTokens, target);
    }

    private int names(
        final WorkloadRequest request, final int from, final int to, final int blockSizeTokens, final long[] target)
    {
        for (int block = from; block < to; block++)
        {
            target[block - from] = name(request, (block + 1) * blockSizeTokens - 1);
        }
        return to - from;
    }

    @Override
    public Map<String, String> settings()
    {
        return Map.of("workload.kind", "incident");
    }
}
