// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.util.List;

/**
 * One recorded play of a coding agent: an agent's requests in their order and, between them, sub-agents that it started.
 *
 * @param line        the line of the play in its file, from 1.
 * @param blockTokens tokens per trace block, at least 1.
 */
record AgentPlay(int line, int blockTokens, Agent agent)
{
    /**
     * The work of one agent. Its requests begin with the tools and the system prompt.
     *
     * @param elements not empty in an agent that heads a play, which begins with a request.
     */
    record Agent(int toolTokens, int systemTokens, List<Element> elements)
    {
    }

    /** A request, or a sub-agent. */
    sealed interface Element
    {
    }

    /**
     * One request. Times count from the start of its agent.
     *
     * @param apiNanos      how long the recorded call took; -1: not recorded.
     * @param thinkNanos    pause of the client before the request; -1: not recorded.
     * @param traceBlockIds one per full trace block of the prompt.
     */
    record PlayRequest(
        long startNanos, long apiNanos, long thinkNanos, int promptTokens, int outputTokens, int[] traceBlockIds)
        implements Element
    {
        /** End of the recorded call; its start if its length is not known. */
        long endNanos()
        {
            return startNanos + Math.max(0, apiNanos);
        }
    }

    /** A sub-agent. The recorded time of one is when its result came back, not when it began. */
    record SubAgent(long endNanos, long durationNanos, Agent agent) implements Element
    {
        long startNanos()
        {
            return Math.max(0, endNanos - durationNanos);
        }
    }
}
