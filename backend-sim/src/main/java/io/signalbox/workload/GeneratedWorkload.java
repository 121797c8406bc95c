// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import io.signalbox.SeededTokens;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Multi-turn conversations that share one system prompt. Turn {@code k + 1} repeats the prompt and the output of turn
 * {@code k}, adds new user text, and arrives a think time after turn {@code k} has completed: prefixes really repeat,
 * and load feeds back on arrivals. With a number of clients, so many conversations are active at a time.
 */
public final class GeneratedWorkload implements Workload, PromptText
{
    private static final long SYSTEM_PROMPT = -1L;
    /** Arrival of a conversation that waits for a client. */
    private static final long WAITS = -1L;

    private final GeneratedWorkloadConfig config;
    private final List<WorkloadRequest> requests;

    private GeneratedWorkload(final GeneratedWorkloadConfig config, final List<WorkloadRequest> requests)
    {
        this.config = config;
        this.requests = List.copyOf(requests);
    }

    public static GeneratedWorkload of(final GeneratedWorkloadConfig config)
    {
        final boolean closed = config.clients() > 0;
        final int arriving = closed ? Math.min(config.clients(), config.conversations()) : config.conversations();
        final long[] starts = config.arrivals().draw(arriving, new SplitMix64(config.seed()));
        final List<WorkloadRequest> requests = new ArrayList<>();
        int begun = 0;
        for (int conversation = 0; conversation < config.conversations(); conversation++)
        {
            final int before = requests.size();
            // In a closed loop a conversation whose first turn is too long takes no client.
            final int place = closed ? begun : conversation;
            addConversation(config, conversation, place < arriving ? starts[place] : WAITS, requests);
            begun += requests.size() > before ? 1 : 0;
        }
        if (requests.isEmpty())
        {
            throw ConfigException.because("no first turn fits into ",
                    GeneratedWorkloadConfig.MAX_CONTEXT_TOKENS.of(config.maxContextTokens()))
                .allowed("enough for a first turn").remedy("raise it or shorten ",
                    GeneratedWorkloadConfig.SYSTEM_PROMPT_TOKENS.named(), ", ",
                    GeneratedWorkloadConfig.USER_TOKENS.named(), " or ", GeneratedWorkloadConfig.OUTPUT_TOKENS.named());
        }
        return new GeneratedWorkload(config, requests);
    }

    private static void addConversation(
        final GeneratedWorkloadConfig config,
        final int conversation,
        final long startNanos,
        final List<WorkloadRequest> requests)
    {
        // Each conversation has its own stream, so that a change of one leaves the others as they are.
        final SplitMix64 random = new SplitMix64(SplitMix64.mix(config.seed(), conversation));
        final int turns = config.turns().draw(random);
        long promptTokens = config.systemPromptTokens();
        for (int turn = 0; turn < turns; turn++)
        {
            promptTokens += config.userTokens().draw(random);
            final int outputTokens = config.outputTokens().draw(random);
            final long thinkTimeNanos = (long)(random.nextExponential() * config.meanThinkTimeNanos());
            if (promptTokens + outputTokens > config.maxContextTokens())
            {
                return;
            }
            if (requests.size() == MAX_REQUESTS)
            {
                throw ConfigException.because(GeneratedWorkloadConfig.CONVERSATIONS.of(config.conversations()), " with ",
                        GeneratedWorkloadConfig.TURNS.of(config.turns()), " make more than " + MAX_REQUESTS + " requests")
                    .allowed("at most " + MAX_REQUESTS + " requests").remedy("give fewer");
            }
            final long requestId = requests.size() + 1L;
            requests.add((turn == 0 ? WorkloadRequest.arriving(requestId, startNanos, (int)promptTokens, outputTokens) :
                WorkloadRequest.following(requestId, requestId - 1, thinkTimeNanos, (int)promptTokens, outputTokens))
                .ofConversation(conversation));
            promptTokens += outputTokens;
        }
    }

    @Override
    public List<WorkloadRequest> requests()
    {
        return requests;
    }

    @Override
    public PromptText text()
    {
        return this;
    }

    /** Backwards from the end: user text, the answer before it, the user text before that, and the system prompt. */
    @Override
    public void tokens(
        final WorkloadRequest request, final int from, final int to, final Answers answers, final int[] target)
    {
        final long own = SplitMix64.mix(config.seed(), request.conversationId());
        final long common = SplitMix64.mix(config.seed(), SYSTEM_PROMPT);
        WorkloadRequest before = predecessor(request);
        for (int position = to - 1; position >= from; position--)
        {
            while (before != null && position < before.promptTokens())
            {
                before = predecessor(before);
            }
            final boolean isAnswer = before != null && position < before.promptTokens() + before.outputTokens();
            target[position - from] = isAnswer ? answers.token(before.requestId(), position) :
                SeededTokens.token(position < config.systemPromptTokens() ? common : own, 0, position);
        }
    }

    private WorkloadRequest predecessor(final WorkloadRequest request)
    {
        return request.predecessorId() < 0 ? null : requests.get((int)request.predecessorId() - 1);
    }

    /** A conversation only ever appends, so it and the position say what the prefix is. All share the system prompt. */
    @Override
    public long contentKey(final WorkloadRequest request, final int position)
    {
        final long source = position < config.systemPromptTokens() ? SYSTEM_PROMPT : request.conversationId();
        return SplitMix64.mix(SplitMix64.mix(config.seed(), source), position);
    }

    @Override
    public String placeOf(final WorkloadRequest request)
    {
        return "request " + request.requestId() + " of the generated workload";
    }

    @Override
    public Map<String, String> settings()
    {
        return config.settings();
    }
}
