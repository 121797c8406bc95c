// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.nio.file.Path;
import java.util.List;

/**
 * A file of recorded plays of coding agents, one JSON object per line, plain or gzipped: {@code block_size},
 * {@code hash_id_scope} (local), {@code tool_tokens}, {@code system_tokens} and {@code requests}, each with {@code t},
 * {@code in}, {@code out} and {@code hash_ids}, one id per full block of the prompt. Read once, it makes workloads of
 * any seed.
 */
public final class AgentPlays
{
    private final Path file;
    private final List<AgentPlay> plays;

    private AgentPlays(final Path file, final List<AgentPlay> plays)
    {
        this.file = file;
        this.plays = List.copyOf(plays);
    }

    /** @throws io.signalbox.ConfigException that names file, line and fault when the file is not usable. */
    public static AgentPlays read(final Path file)
    {
        return new AgentPlays(file, new AgentTraceReader(file).read());
    }

    Path file()
    {
        return file;
    }

    List<AgentPlay> plays()
    {
        return plays;
    }
}
