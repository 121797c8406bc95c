// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.StateDigest;
import io.signalbox.kv.hash.BlockHashFunction;
import io.signalbox.kv.hash.BlockHasher;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The results of a model as a function of content alone: a token of a request at a position, the KV and the row of it. It
 * knows nothing of steps, so that any schedule must lead to the same tokens and rows.
 */
final class ModelContent
{
    /**
     * A request.
     *
     * @param family       requests of one have equal first tokens.
     * @param previous     the request whose first tokens the prompt repeats, those of its answer included; 0: none.
     * @param sharedTokens that the prompt has in common with its family, or with the previous request.
     * @param stopTokens   ascending.
     * @param least        before so many tokens of the answer no stop token ends it, although devices sample some.
     * @param sampleOf     the request that computes the equal prompt first; -1: none.
     */
    record Prompt(
        long family, long previous, int sharedTokens, int tokens, int newTokens, List<Integer> stopTokens, int least,
        long sampleOf)
    {
        Prompt(
            final long family,
            final long previous,
            final int sharedTokens,
            final int tokens,
            final int newTokens,
            final List<Integer> stopTokens)
        {
            this(family, previous, sharedTokens, tokens, newTokens, stopTokens, 0, -1);
        }

        /** Another answer to the prompt of a request. */
        static Prompt sample(final long of, final Prompt same, final int newTokens)
        {
            return new Prompt(0, of, same.tokens, same.tokens, newTokens, List.of(), 0, of);
        }

        Prompt(final long family, final int sharedTokens, final int tokens, final int newTokens, final int stopToken)
        {
            this(family, 0, sharedTokens, tokens, newTokens, stopToken < 0 ? List.of() : List.of(stopToken));
        }
    }

    private static final int VOCABULARY = 23;
    /** Prompts have many tokens, answers few: stop tokens are common. */
    private static final int PROMPT_BITS = 20;
    private static final long FIRST_REQUEST = 1_000_000;
    private static final int[] NO_ANSWER = {};

    private final Map<Long, Prompt> prompts = new HashMap<>();
    private final Map<Long, int[]> answers = new HashMap<>();
    private final Map<List<Long>, Integer> acceptances = new HashMap<>();
    private final Map<Long, int[]> promptTokens = new HashMap<>();
    /** The token that devices sampled last for each position. */
    private final Map<Long, Map<Integer, Integer>> sampled = new HashMap<>();
    private final Map<Long, List<Long>> prefixes = new HashMap<>();
    private final Map<Long, Integer> hashedBlocks = new HashMap<>();
    private final int acceptedPercent;

    ModelContent(final int acceptedPercent)
    {
        this.acceptedPercent = acceptedPercent;
    }

    /** @param previousAnswer so far. */
    void add(final long requestId, final Prompt prompt, final List<Integer> previousAnswer)
    {
        final int[] tokens = new int[prompt.tokens()];
        for (int i = 0; i < tokens.length; i++)
        {
            final long source = i < prompt.sharedTokens() ? prompt.family() : FIRST_REQUEST + requestId;
            tokens[i] = (int)(StateDigest.mix(source, i) >>> Long.SIZE - PROMPT_BITS);
        }
        if (prompt.previous() > 0)
        {
            final int[] before = promptTokens.get(prompt.previous());
            for (int i = 0; i < prompt.sharedTokens(); i++)
            {
                tokens[i] = i < before.length ? before[i] : previousAnswer.get(i - before.length);
            }
        }
        prompts.put(requestId, prompt);
        promptTokens.put(requestId, tokens);
    }

    Prompt prompt(final long requestId)
    {
        return prompts.get(requestId);
    }

    /** The KV of a token, never negative: it depends on the weights, on every token up to this one, and on nothing else. */
    long of(final long requestId, final int position, final int weights)
    {
        final List<Long> known = prefixes.computeIfAbsent(requestId, id -> new ArrayList<>());
        while (known.size() <= position)
        {
            known.add(StateDigest.mix(
                known.isEmpty() ? 0 : known.get(known.size() - 1), tokenAt(requestId, known.size())));
        }
        return StateDigest.mix(known.get(position), weights) >>> 1;
    }

    /** A device has sampled the token, perhaps again and with other weights. */
    void sampled(final long requestId, final int position, final int token)
    {
        sampled.computeIfAbsent(requestId, id -> new HashMap<>()).put(position, token);
        final List<Long> known = prefixes.getOrDefault(requestId, List.of());
        if (position < known.size())
        {
            known.subList(position, known.size()).clear();
        }
    }

    /** A token of the prompt, or one that a device has sampled. */
    private int tokenAt(final long requestId, final int position)
    {
        final int[] prompt = promptTokens.get(requestId);
        return position < prompt.length ? prompt[position] :
            sampled.getOrDefault(requestId, Map.of()).getOrDefault(position, -1);
    }

    long garbage(final long step, final int index)
    {
        return StateDigest.mix(~step, index) >>> 1;
    }

    /** The hash of a block, from the tokens of the request up to the end of the block. */
    long blockHash(final long requestId, final int index, final int blockSize)
    {
        final long[] hashes = new long[index + 1];
        final int[] tokens = firstTokens(requestId, hashes.length * blockSize);
        BlockHasher.of(BlockHashFunction.SHA_256, blockSize).hash(tokens, tokens.length, new byte[0], hashes);
        return hashes[index];
    }

    /** The scheduler has hashed so many blocks of the request, on any rank. */
    void hashed(final long requestId, final int blocks)
    {
        hashedBlocks.merge(requestId, blocks, Math::max);
    }

    int hashedBlocks(final long requestId)
    {
        return hashedBlocks.getOrDefault(requestId, 0);
    }

    int[] firstTokens(final long requestId, final int count)
    {
        return IntStream.range(0, count).map(position -> tokenAt(requestId, position)).toArray();
    }

    /** Whether the client gives what the hashes of the blocks that decoding fills are made from. */
    static boolean isContinued(final long requestId)
    {
        return requestId % 5 != 0;
    }

    /** The first tokens that the model generates for the request. */
    void answer(final long requestId, final int... tokens)
    {
        answers.put(requestId, tokens);
    }

    /** The token that weights of a generation sample. */
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
            if (tokens.size() > prompt.least() && prompt.stopTokens().contains(tokens.get(tokens.size() - 1)))
            {
                break;
            }
        }
        return tokens;
    }
}
