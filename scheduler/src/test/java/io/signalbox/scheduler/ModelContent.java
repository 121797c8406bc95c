// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.StateDigest;
import io.signalbox.experts.ModelShape;
import org.agrona.MutableDirectBuffer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The results of a model as a function of content alone: a token of a request at a position, the KV and the row of it. It
 * knows nothing of steps, so that any schedule must lead to the same tokens and rows.
 */
final class ModelContent
{
    /** A request. */
    record Prompt(long family, int sharedTokens, int tokens, int newTokens, int stopToken)
    {
    }

    private static final int VOCABULARY = 23;
    private static final int[] NO_ANSWER = {};

    private final Map<Long, Prompt> prompts = new HashMap<>();
    private final Map<Long, int[]> answers = new HashMap<>();
    private final Map<List<Long>, Integer> acceptances = new HashMap<>();
    private final int acceptedPercent;

    ModelContent(final int acceptedPercent)
    {
        this.acceptedPercent = acceptedPercent;
    }

    void add(final long requestId, final Prompt prompt)
    {
        prompts.put(requestId, prompt);
    }

    Prompt prompt(final long requestId)
    {
        return prompts.get(requestId);
    }

    /** The KV of a token that weights of a generation computed, never negative. */
    long of(final long requestId, final int position, final int weights)
    {
        final Prompt prompt = prompts.get(requestId);
        final long source = position < prompt.sharedTokens() ? prompt.family() : 1_000_000 + requestId;
        return StateDigest.mix(source, position, weights) >>> 1;
    }

    long garbage(final long step, final int index)
    {
        return StateDigest.mix(~step, index) >>> 1;
    }

    /** The hash of a full block of the prompt. */
    long blockHash(final long requestId, final int index, final int blockSize)
    {
        final Prompt prompt = prompts.get(requestId);
        final boolean shared = (index + 1) * blockSize <= prompt.sharedTokens();
        return SchedulerHarness.blockHash(shared ? prompt.family() : 1_000_000 + requestId, index);
    }

    /** The first tokens that the model generates for the request. */
    void answer(final long requestId, final int... tokens)
    {
        answers.put(requestId, tokens);
    }

    int token(final long requestId, final int position, final int weights)
    {
        final int[] answer = answers.getOrDefault(requestId, NO_ANSWER);
        final int generated = position - prompts.get(requestId).tokens();
        return generated < answer.length ? answer[generated] :
            (int)((StateDigest.mix(requestId, position, 77 + weights) >>> 1) % VOCABULARY);
    }

    /** An entry of the request that starts there accepts so many tokens, if it has them. */
    void accept(final long requestId, final int start, final int tokens)
    {
        acceptances.put(List.of(requestId, (long)start), tokens);
    }

    /** Tokens that an entry of so many tokens from a position accepts: the first is always right. */
    int accepted(final long requestId, final int start, final int count)
    {
        final Integer fixed = acceptances.get(List.of(requestId, (long)start));
        if (fixed != null)
        {
            return Math.min(fixed, count);
        }
        int accepted = 1;
        while (accepted < count && (StateDigest.mix(requestId, start + accepted, 5) >>> 1) % 100 < acceptedPercent)
        {
            accepted++;
        }
        return accepted;
    }

    /** All tokens of a request that ends by itself, the first of them sampled by these weights; others by the first. */
    List<Integer> tokens(final long requestId, final List<Integer> weights)
    {
        final Prompt prompt = prompts.get(requestId);
        final List<Integer> tokens = new ArrayList<>();
        while (tokens.size() < prompt.newTokens())
        {
            final int generation = tokens.size() < weights.size() ? weights.get(tokens.size()) : 0;
            tokens.add(token(requestId, prompt.tokens() + tokens.size(), generation));
            if (tokens.get(tokens.size() - 1) == prompt.stopToken())
            {
                break;
            }
        }
        return tokens;
    }

    static void writeRow(final long key, final ModelShape shape, final MutableDirectBuffer rows, final int offset)
    {
        for (int i = 0; i < shape.rowIds(); i++)
        {
            rows.putByte(offset + i, (byte)expert(key, shape, i));
        }
    }

    /** Distinct within a layer: consecutive ids from one that the key chooses. */
    static int expert(final long key, final ModelShape shape, final int place)
    {
        final long first = StateDigest.mix(key, place / shape.topK()) >>> 1;
        return (int)((first + place % shape.topK()) % shape.experts());
    }
}
