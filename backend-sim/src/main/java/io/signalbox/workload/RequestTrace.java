// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.nio.file.Path;
import java.util.List;

/**
 * A workload as {@code signalbox trace} writes it from a journal, plain or gzipped: one request per line in the order of
 * the Submits, with the block hashes of its prompt. A request's id is the number of its line. With the block size of the
 * journal, requests share the blocks that they shared there, except those that decoding filled: the trace has no tokens.
 */
public final class RequestTrace extends FileWorkload
{
    /** Fields of a line that its {@link WorkloadRequest} does not have. */
    record Prompt(int blockTokens, long[] blocks, String tenant)
    {
    }

    private final List<Prompt> prompts;

    RequestTrace(final Path file, final List<WorkloadRequest> requests, final List<Prompt> prompts)
    {
        super("requests", file, requests);
        this.prompts = List.copyOf(prompts);
    }

    /** @throws io.signalbox.ConfigException that names file, line and fault when the trace is not usable. */
    public static RequestTrace read(final Path file)
    {
        return new RequestTraceReader(file).read();
    }

    private Prompt prompt(final WorkloadRequest request)
    {
        return prompts.get(index(request));
    }

    /**
     * The recorded block that holds an engine block's last token names the prefix up to its own end, and with the place of
     * that token the prefix up to the engine block's end. Tokens behind the last recorded block are the request's alone.
     */
    @Override
    public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        final Prompt prompt = prompt(request);
        final int blocks = request.promptTokens() / blockSizeTokens;
        for (int i = 0; i < blocks; i++)
        {
            final int lastToken = (i + 1) * blockSizeTokens - 1;
            final int at = lastToken / prompt.blockTokens;
            final boolean whole = lastToken % prompt.blockTokens == prompt.blockTokens - 1;
            final long name = at < prompt.blocks.length ? prompt.blocks[at] : -request.requestId();
            target[i] = at < prompt.blocks.length && whole ? name : BlockHashes.positive(SplitMix64.mix(name, lastToken));
        }
        return blocks;
    }

    @Override
    public String tenant(final WorkloadRequest request)
    {
        return prompt(request).tenant;
    }

    @Override
    long mixed(final long ahead, final WorkloadRequest request)
    {
        long hash = SplitMix64.mix(ahead, request.arrivalNanos());
        hash = SplitMix64.mix(hash, request.predecessorId());
        hash = SplitMix64.mix(hash, request.thinkTimeNanos());
        hash = SplitMix64.mix(hash, request.conversationId());
        hash = SplitMix64.mix(hash, request.promptTokens());
        hash = SplitMix64.mix(hash, request.outputTokens());
        hash = SplitMix64.mix(hash, request.cancelAfterNanos());
        final Prompt prompt = prompt(request);
        hash = SplitMix64.mix(hash, prompt.blockTokens);
        for (int i = 0; i < prompt.tenant.length(); i++)
        {
            hash = SplitMix64.mix(hash, prompt.tenant.charAt(i));
        }
        for (final long block : prompt.blocks)
        {
            hash = SplitMix64.mix(hash, block);
        }
        return hash;
    }
}
