// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Turns plays into requests that wait for one another. Which waits for which is read off the recorded times:
 *
 * <ul>
 * <li>A request follows the one before it in its agent's list, after its recorded pause.
 * <li>A sub-agent begins at the end of its agent's request before it; several in a row begin together.
 * <li>The agent continues when the sub-agents ended that had ended before its next request was made: that request
 * follows the last request of the one that ended last. One predecessor suffices, since what ended last in the recording
 * had the most to do. A sub-agent that was still running then continues beside its agent.
 * </ul>
 */
final class AgentRequests
{
    private static final int NONE = -1;

    private final AgentPlays source;
    private final AgentTraceConfig config;
    private final List<WorkloadRequest> requests = new ArrayList<>();
    private final List<AgentPrompt> prompts = new ArrayList<>();
    private final long[] firstStarts;
    private int conversations;

    AgentRequests(final AgentPlays source, final AgentTraceConfig config)
    {
        final List<AgentPlay> plays = source.plays();
        this.source = source;
        this.config = config;
        conversations = plays.size();
        final int concurrent = config.concurrentPlays();
        firstStarts = new long[concurrent == 0 ? plays.size() : Math.min(concurrent, plays.size())];
        final SplitMix64 random = new SplitMix64(config.seed());
        for (int i = 1; i < firstStarts.length; i++)
        {
            final long gap = (long)(random.nextExponential() * config.meanStaggerNanos());
            if (VirtualTime.isPast(firstStarts[i - 1], gap))
            {
                throw VirtualTime.past("give a smaller gap",
                    "with ", AgentTraceConfig.MEAN_STAGGER_NANOS.named(), " of " + config.meanStaggerNanos() +
                        " ns the play on line " + plays.get(i).line() + " of " + source.file() + " would start");
            }
            firstStarts[i] = firstStarts[i - 1] + gap;
        }
        for (int play = 0; play < plays.size(); play++)
        {
            final AgentPlay recorded = plays.get(play);
            new AgentWalk(play, recorded, recorded.agent(), play, new HashMap<>()).walk(NONE, 0);
        }
    }

    /** In the order of the file: the requests of one play are next to one another. */
    List<WorkloadRequest> requests()
    {
        return requests;
    }

    /** The parts of each request's prompt, in the same order. */
    List<AgentPrompt> prompts()
    {
        return prompts;
    }

    /** One agent of one play, element by element. */
    private final class AgentWalk
    {
        private final int play;
        private final AgentPlay recorded;
        private final AgentPlay.Agent agent;
        private final int conversation;
        private final Map<Long, AgentPrompt.Shared> sharedInPlay;
        private final AgentPrompt.Shared shared;
        private AgentPlay.PlayRequest last;
        private long lastId = NONE;
        /** The sub-agents since the last request, and the last request of each. */
        private final List<AgentPlay.SubAgent> subAgents = new ArrayList<>();
        private final List<Long> subAgentIds = new ArrayList<>();

        private AgentWalk(
            final int play,
            final AgentPlay recorded,
            final AgentPlay.Agent agent,
            final int conversation,
            final Map<Long, AgentPrompt.Shared> sharedInPlay)
        {
            this.play = play;
            this.recorded = recorded;
            this.agent = agent;
            this.conversation = conversation;
            this.sharedInPlay = sharedInPlay;
            final AgentPrompt.Shared ofAgent = AgentPrompt.Shared.of(agent, recorded.blockTokens());
            // Within a play its ids say what is equal: the first agent with such sizes stands for them.
            shared = config.sharedPrompts()
                ? sharedInPlay.computeIfAbsent(ofAgent.key(), key -> ofAgent)
                : AgentPrompt.Shared.NOTHING;
        }

        /**
         * @param starter    the request upon whose end the agent begins; -1: it heads its play.
         * @param pauseNanos from that end to the agent's start.
         * @return the agent's last request, or that of its last sub-agent if it made none; -1: none at all.
         */
        private long walk(final long starter, final long pauseNanos)
        {
            for (final AgentPlay.Element element : agent.elements())
            {
                if (element instanceof AgentPlay.SubAgent subAgent)
                {
                    start(subAgent, starter, pauseNanos);
                }
                else
                {
                    add((AgentPlay.PlayRequest)element, starter, pauseNanos);
                }
            }
            return lastId != NONE || subAgentIds.isEmpty() ? lastId : subAgentIds.get(subAgentIds.size() - 1);
        }

        private void start(final AgentPlay.SubAgent subAgent, final long starter, final long pauseNanos)
        {
            final AgentWalk walk =
                new AgentWalk(play, recorded, subAgent.agent(), conversations++, sharedInPlay);
            final long id = last == null
                ? walk.walk(starter, sum(pauseNanos, subAgent.startNanos()))
                : walk.walk(lastId, Math.max(0, subAgent.startNanos() - last.endNanos()));
            if (id != NONE)
            {
                subAgents.add(subAgent);
                subAgentIds.add(id);
            }
        }

        private void add(final AgentPlay.PlayRequest request, final long starter, final long pauseNanos)
        {
            final int awaited = lastEndedBy(request.startNanos());
            final long predecessor = awaited != NONE ? subAgentIds.get(awaited) : last == null ? starter : lastId;
            final long pause = awaited != NONE ? request.startNanos() - subAgents.get(awaited).endNanos() :
                last == null ? sum(pauseNanos, request.startNanos()) : pauseBefore(request);
            lastId = addRequest(request, predecessor, Math.min(pause, config.maxThinkTimeNanos()));
            last = request;
            subAgents.clear();
            subAgentIds.clear();
        }

        /** Of two recorded times; nested sub-agents add up theirs. */
        private long sum(final long firstNanos, final long secondNanos)
        {
            if (VirtualTime.isPast(firstNanos, secondNanos))
            {
                throw VirtualTime.past("a request of the play on line " + recorded.line() + " of " + source.file() +
                    " would be made", "correct the times of that play");
            }
            return firstNanos + secondNanos;
        }

        /** Of the sub-agents that had ended by then, the one that ended last; -1: none. */
        private int lastEndedBy(final long timeNanos)
        {
            int found = NONE;
            for (int i = 0; i < subAgents.size(); i++)
            {
                final long end = subAgents.get(i).endNanos();
                if (end <= timeNanos && (found == NONE || end > subAgents.get(found).endNanos()))
                {
                    found = i;
                }
            }
            return found;
        }

        /**
         * The recorded pause. Behind a call whose length is not recorded it counts from some earlier call, and the time
         * between the two requests bounds it.
         */
        private long pauseBefore(final AgentPlay.PlayRequest request)
        {
            final long gap = Math.max(0, request.startNanos() - last.endNanos());
            return request.thinkNanos() < 0 ? gap : last.apiNanos() < 0 ? Math.min(gap, request.thinkNanos()) :
                request.thinkNanos();
        }

        private long addRequest(final AgentPlay.PlayRequest request, final long predecessor, final long pauseNanos)
        {
            final long id = requests.size() + 1L;
            // A play behind the first ones has neither arrival nor predecessor: it waits for another one to end.
            final boolean headsPlay = predecessor == NONE;
            final long arrival = headsPlay && play < firstStarts.length ? sum(firstStarts[play], pauseNanos) : NONE;
            requests.add((arrival == NONE ?
                WorkloadRequest.following(id, predecessor, pauseNanos, request.promptTokens(), request.outputTokens()) :
                WorkloadRequest.arriving(id, arrival, request.promptTokens(), request.outputTokens()))
                .ofConversation(conversation));
            prompts.add(new AgentPrompt(play, recorded.line(), recorded.blockTokens(), request.traceBlockIds(), shared.key(),
                shared.blocksOf(request)));
            return id;
        }
    }
}
