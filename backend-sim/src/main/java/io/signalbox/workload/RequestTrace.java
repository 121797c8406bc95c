// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.nio.file.Path;
import java.util.List;

/**
 * A workload as {@code signalbox trace} writes it from a journal, plain or gzipped: one request per line in the order of
 * the Submits, with the hashes of the blocks of its prompt and its answer. A request's id is the number of its line. With
 * the block size of the journal, requests share the blocks that they shared there.
 */
public final class RequestTrace extends FileWorkload
{
    /**
     * Fields of a line that its {@link WorkloadRequest} does not have.
     *
     * @param firstAnswerBlock index of the first of the answer's blocks: the block in which the prompt ends.
     */
    record Prompt(int blockTokens, int firstAnswerBlock, long[] blocks, long[] answerBlocks, String tenant)
    {
        /**
         * The name of an engine block, from the recorded block that holds its last token; 0: that block is not recorded. The
         * recorded block names the prefix up to its own end; with the place of the token, it names the prefix up to the
         * token.
         */
        private long name(final int lastToken)
        {
            final int at = lastToken / blockTokens;
            final int inAnswer = at - firstAnswerBlock;
            final long recorded = at < blocks.length ? blocks[at] :
                inAnswer >= 0 && inAnswer < answerBlocks.length ? answerBlocks[inAnswer] : 0;
            final boolean isWhole = lastToken % blockTokens == blockTokens - 1;
            return recorded == 0 || isWhole ? recorded : BlockHashes.positive(SplitMix64.mix(recorded, lastToken));
        }
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

    /** Tokens without a recorded block belong only to the request. */
    @Override
    public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        final Prompt prompt = prompt(request);
        final int blocks = request.promptTokens() / blockSizeTokens;
        for (int i = 0; i < blocks; i++)
        {
            final int lastToken = (i + 1) * blockSizeTokens - 1;
            final long name = prompt.name(lastToken);
            target[i] = name == 0 ? BlockHashes.positive(SplitMix64.mix(-request.requestId(), lastToken)) : name;
        }
        return blocks;
    }

    @Override
    public int answerNames(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        final Prompt prompt = prompt(request);
        final int first = request.promptTokens() / blockSizeTokens;
        final int blocks = prompt.answerBlocks.length == 0 ? 0 :
            (request.promptTokens() + request.outputTokens()) / blockSizeTokens - first;
        for (int i = 0; i < blocks; i++)
        {
            target[i] = prompt.name((first + i + 1) * blockSizeTokens - 1);
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
        for (final long block : prompt.answerBlocks)
        {
            hash = SplitMix64.mix(hash, ~block);
        }
        return hash;
    }
}
