// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.nio.file.Path;
import java.util.List;

/** A workload of lengths and times, in which prompts share blocks only as far as their ids or their sessions say. */
final class OpenTrace extends FileWorkload
{
    /**
     * Blocks of a prompt.
     *
     * @param ids         {@code null}: unknown.
     * @param tokensPerId tokens that each id stands for.
     * @param session     above 0: each prompt of the session continues the previous one with its answer; 0: none does.
     */
    record Blocks(long[] ids, int tokensPerId, long session)
    {
    }

    private final Path path;
    private final List<Blocks> blocks;

    OpenTrace(final String kind, final Path file, final List<WorkloadRequest> requests, final List<Blocks> blocks)
    {
        super(kind, file, requests);
        path = file;
        this.blocks = List.copyOf(blocks);
    }

    @Override
    public String placeOf(final WorkloadRequest request)
    {
        return "request " + request.requestId() + " of " + path;
    }

    private long name(final WorkloadRequest request, final int lastToken)
    {
        final Blocks known = blocks.get(index(request));
        final int at = known.ids == null ? 0 : lastToken / known.tokensPerId;
        if (known.ids != null && at < known.ids.length)
        {
            return BlockHashes.positive(SplitMix64.mix(known.ids[at], lastToken % known.tokensPerId));
        }
        return BlockHashes.positive(
            SplitMix64.mix(known.session > 0 ? -known.session - Workload.MAX_REQUESTS : -request.requestId(), lastToken));
    }

    @Override
    public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        final int count = request.promptTokens() / blockSizeTokens;
        for (int i = 0; i < count; i++)
        {
            target[i] = name(request, (i + 1) * blockSizeTokens - 1);
        }
        return count;
    }

    @Override
    public int answerNames(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        final int first = request.promptTokens() / blockSizeTokens;
        final int count = blocks.get(index(request)).session == 0 ? 0 :
            (request.promptTokens() + request.outputTokens()) / blockSizeTokens - first;
        for (int i = 0; i < count; i++)
        {
            target[i] = name(request, (first + i + 1) * blockSizeTokens - 1);
        }
        return count;
    }

    @Override
    long mixed(final long ahead, final WorkloadRequest request)
    {
        long hash = SplitMix64.mix(ahead, request.arrivalNanos());
        hash = SplitMix64.mix(hash, request.predecessorId());
        hash = SplitMix64.mix(hash, request.thinkTimeNanos());
        hash = SplitMix64.mix(hash, request.promptTokens());
        hash = SplitMix64.mix(hash, request.outputTokens());
        final Blocks known = blocks.get(index(request));
        hash = SplitMix64.mix(hash, known.session);
        hash = SplitMix64.mix(hash, known.tokensPerId);
        for (int i = 0; known.ids != null && i < known.ids.length; i++)
        {
            hash = SplitMix64.mix(hash, known.ids[i]);
        }
        return hash;
    }
}
