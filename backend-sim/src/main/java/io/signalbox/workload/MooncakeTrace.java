// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.nio.file.Path;
import java.util.List;

/**
 * A workload in the Mooncake JSONL format, plain or gzipped: one request per line with {@code timestamp} (ms),
 * {@code input_length}, {@code output_length} (tokens) and {@code hash_ids}, one id per 512 tokens of prompt, or per
 * another power of two for which the numbers of ids fit the lengths of all prompts. An id is an unsigned number. It
 * stands for the whole prefix up to and including its trace block. The engine's block size is independent of that size.
 * A request's id is the number of its line.
 */
public final class MooncakeTrace extends FileWorkload
{
    /** Tokens of a trace block in the published traces, and in those that Signalbox writes. */
    public static final int TRACE_BLOCK_TOKENS = 512;

    private final int traceBlockTokens;
    private final List<long[]> traceBlockIds;

    MooncakeTrace(
        final Path file,
        final int traceBlockTokens,
        final List<WorkloadRequest> requests,
        final List<long[]> traceBlockIds)
    {
        super("mooncake", file, requests);
        this.traceBlockTokens = traceBlockTokens;
        this.traceBlockIds = List.copyOf(traceBlockIds);
    }

    /** @throws io.signalbox.ConfigException that names file, line and fault when the trace is not usable. */
    public static MooncakeTrace read(final Path file)
    {
        return new MooncakeTraceReader(file).read();
    }

    /** Tokens of a trace block of this trace. */
    public int traceBlockTokens()
    {
        return traceBlockTokens;
    }

    /** The ids of the request's trace blocks, the last one perhaps partial; not to be changed. */
    public long[] traceBlockIds(final WorkloadRequest request)
    {
        return traceBlockIds.get(index(request));
    }

    /**
     * The trace block that holds an engine block's last token names the prefix up to its own end, and with the place
     * of that token the prefix up to the engine block's end. So any two block sizes fit together. If the trace
     * block is longer than the engine block, prompts that differ only after it count as different: the trace does
     * not say more.
     */
    @Override
    public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        final long[] ids = traceBlockIds(request);
        final int blocks = request.promptTokens() / blockSizeTokens;
        for (int i = 0; i < blocks; i++)
        {
            final int lastToken = (i + 1) * blockSizeTokens - 1;
            target[i] = BlockHashes.positive(
                SplitMix64.mix(ids[lastToken / traceBlockTokens], lastToken % traceBlockTokens));
        }
        return blocks;
    }

    @Override
    long mixed(final long ahead, final WorkloadRequest request)
    {
        final boolean isUsual = traceBlockTokens == TRACE_BLOCK_TOKENS;
        long hash = SplitMix64.mix(isUsual ? ahead : SplitMix64.mix(ahead, traceBlockTokens), request.arrivalNanos());
        hash = SplitMix64.mix(hash, request.promptTokens());
        hash = SplitMix64.mix(hash, request.outputTokens());
        for (final long id : traceBlockIds(request))
        {
            hash = SplitMix64.mix(hash, id);
        }
        return hash;
    }
}
