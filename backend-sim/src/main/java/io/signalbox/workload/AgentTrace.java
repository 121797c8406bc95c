// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.util.List;
import java.util.Map;

/**
 * Recorded plays of coding agents as a closed loop: a request is made some pause after the one that it waits for has
 * ended, however long that takes here. A play is a conversation, and each sub-agent another one. The engine's block
 * size is independent of the trace's.
 */
public final class AgentTrace extends FileWorkload
{
    private final AgentPlays plays;
    private final AgentTraceConfig config;
    private final List<AgentPrompt> prompts;

    private AgentTrace(final AgentPlays plays, final AgentTraceConfig config, final AgentRequests made)
    {
        super("agent", plays.file(), made.requests());
        this.plays = plays;
        this.config = config;
        prompts = List.copyOf(made.prompts());
    }

    public static AgentTrace of(final AgentPlays plays, final AgentTraceConfig config)
    {
        return new AgentTrace(plays, config, new AgentRequests(plays, config));
    }

    /** The number of the request, and the line of the file that holds its play. */
    @Override
    public String placeOf(final WorkloadRequest request)
    {
        return "request " + request.requestId() + ", on line " + prompt(request).line() + " of " + file() + ",";
    }

    @Override
    public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        return prompt(request).blockHashes(request.requestId(), request.promptTokens(), blockSizeTokens, target);
    }

    private AgentPrompt prompt(final WorkloadRequest request)
    {
        return prompts.get(index(request));
    }

    @Override
    public Map<String, String> settings()
    {
        final Map<String, String> settings = super.settings();
        settings.put("workload.plays", Integer.toString(plays.plays().size()));
        settings.putAll(config.settings());
        return settings;
    }

    @Override
    long mixed(final long ahead, final WorkloadRequest request)
    {
        long hash = SplitMix64.mix(ahead, request.thinkTimeNanos());
        hash = SplitMix64.mix(hash, request.promptTokens());
        hash = SplitMix64.mix(hash, request.outputTokens());
        for (final int id : prompt(request).traceBlockIds())
        {
            hash = SplitMix64.mix(hash, id);
        }
        return hash;
    }
}
