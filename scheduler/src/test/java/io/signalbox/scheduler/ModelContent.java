// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.StateDigest;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.hash.BlockHashFunction;
import io.signalbox.kv.hash.BlockHasher;
import org.agrona.MutableDirectBuffer;

import java.util.ArrayList;
import java.util.Arrays;
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
     */
    record Prompt(long family, long previous, int sharedTokens, int tokens, int newTokens, int stopToken)
    {
        Prompt(final long family, final int sharedTokens, final int tokens, final int newTokens, final int stopToken)
        {
            this(family, 0, sharedTokens, tokens, newTokens, stopToken);
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
    private final Map<Long, long[]> prefixes = new HashMap<>();
    private final Map<Long, long[]> hashes = new HashMap<>();
    private final Map<Long, Integer> hashedBlocks = new HashMap<>();
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

    /** The KV of a token, never negative: it depends on every token up to this one, and on nothing else. */
    long of(final long requestId, final int position)
    {
        long[] known = prefixes.getOrDefault(requestId, new long[0]);
        if (position >= known.length)
        {
            final int before = known.length;
            known = Arrays.copyOf(known, 2 * position + 1);
            for (int i = before; i < known.length; i++)
            {
                known[i] = StateDigest.mix(i == 0 ? 0 : known[i - 1], token(requestId, i)) >>> 1;
            }
            prefixes.put(requestId, known);
        }
        return known[position];
    }

    long garbage(final long step, final int index)
    {
        return StateDigest.mix(~step, index) >>> 1;
    }

    /** The hash of a block, from the tokens of the request up to the end of the block. */
    long blockHash(final long requestId, final int index, final int blockSize)
    {
        long[] known = hashes.getOrDefault(requestId, new long[0]);
        if (index >= known.length)
        {
            known = new long[2 * index + 1];
            final int[] tokens = firstTokens(requestId, known.length * blockSize);
            BlockHasher.of(BlockHashFunction.SHA_256, blockSize).hash(tokens, tokens.length, new byte[0], known);
            hashes.put(requestId, known);
        }
        return known[index];
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
        return IntStream.range(0, count).map(position -> token(requestId, position)).toArray();
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
        prefixes.remove(requestId);
        hashes.remove(requestId);
    }

    /** A token of the prompt or of the answer. */
    int token(final long requestId, final int position)
    {
        final Prompt prompt = prompts.get(requestId);
        if (position < prompt.sharedTokens() && prompt.previous() > 0)
        {
            return token(prompt.previous(), position);
        }
        if (position < prompt.tokens())
        {
            final long source = position < prompt.sharedTokens() ? prompt.family() : FIRST_REQUEST + requestId;
            return (int)(StateDigest.mix(source, position) >>> Long.SIZE - PROMPT_BITS);
        }
        final int[] answer = answers.getOrDefault(requestId, NO_ANSWER);
        final int generated = position - prompt.tokens();
        return generated < answer.length ? answer[generated] :
            (int)((StateDigest.mix(requestId, position, 77) >>> 1) % VOCABULARY);
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

    /** All tokens of a request that ends by itself. */
    List<Integer> tokens(final long requestId)
    {
        final Prompt prompt = prompts.get(requestId);
        final List<Integer> tokens = new ArrayList<>();
        while (tokens.size() < prompt.newTokens())
        {
            tokens.add(token(requestId, prompt.tokens() + tokens.size()));
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
