// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.backend.StepTokens;
import io.signalbox.event.RequestContent;
import io.signalbox.workload.SplitMix64;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The answers of simulated ranks to clients, and the routed experts of every token, by content: a token of an answer is a
 * function of seed, prompt, cache key, sampling and position; the experts of a token are a function of it and the tokens
 * before it. So neither ranks nor batches nor prefix hits change an answer. Not thread-safe.
 */
final class ServedAnswers implements SampledTokens, SimulatedBackend.RowKey
{
    /** Tokens before a token on which its routed experts depend, itself included. */
    private static final int WINDOW = 4;
    private static final int DRAW_BITS = 53;
    private static final long LENGTH_GAMMA = 0xD1B54A32D192ED03L;
    private static final long LOGPROB_GAMMA = 0x9E3779B97F4A7C15L;
    private static final double MOST_NEGATIVE_LOGPROB = -2;

    private final long seed;
    /** An answer ends at each token below it, drawn from {@link #DRAW_BITS} bits. */
    private final long endLimit;
    private final Map<Long, Sequence> sequences;

    /**
     * @param meanAnswerTokens of answers that no limit ends; 0: they never end by themselves.
     * @param mostRequests     whose tokens are kept; others are read again.
     */
    ServedAnswers(final long seed, final int meanAnswerTokens, final int mostRequests)
    {
        this.seed = seed;
        endLimit = meanAnswerTokens == 0 ? 0 : (1L << DRAW_BITS) / meanAnswerTokens;
        sequences = new LinkedHashMap<>(16, 0.75f, true)
        {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(final Map.Entry<Long, Sequence> eldest)
            {
                return size() > mostRequests;
            }
        };
    }

    /** The tokens of one request, as far as they are known. */
    private static final class Sequence
    {
        private int[] tokens;
        private int known;
        private final int promptTokens;
        /** Decides the answer. */
        private final long key;
        private final long cacheKey;
        private final boolean wantsLogprobs;
        /** From this position on, a stop token may be sampled. */
        private final int mayStopAt;
        private final int[] stopTokens;

        private Sequence(final RequestContent content, final long seed)
        {
            promptTokens = content.promptTokens();
            tokens = new int[promptTokens + 16];
            long cached = seed;
            for (int i = 0; i < content.cacheKeyLength(); i++)
            {
                cached = SplitMix64.mix(cached, content.cacheKeyByte(i));
            }
            cacheKey = cached;
            read(content);
            long prompt = cached;
            for (int i = 0; i < promptTokens; i++)
            {
                prompt = SplitMix64.mix(prompt, tokens[i]);
            }
            key = content.isGreedy() ? prompt : SplitMix64.mix(SplitMix64.mix(prompt, content.samplingSeed()),
                Float.floatToIntBits(content.temperature()));
            wantsLogprobs = content.wantsLogprobs();
            mayStopAt = promptTokens + content.minNewTokens();
            stopTokens = IntStream.range(0, content.stopTokenCount()).map(content::stopToken).toArray();
        }

        /** The token, or the next one that does not end the request too early. */
        private int allowedAt(final int position, final int token)
        {
            int allowed = token;
            while (position < mayStopAt && Arrays.binarySearch(stopTokens, allowed) >= 0)
            {
                allowed++;
            }
            return allowed;
        }

        private void read(final RequestContent content)
        {
            for (int i = known; i < content.knownTokens(); i++)
            {
                set(i, content.token(i));
            }
        }

        private void set(final int position, final int token)
        {
            tokens = position < tokens.length ? tokens : Arrays.copyOf(tokens, Math.max(position + 1, 2 * tokens.length));
            tokens[position] = token;
            known = Math.max(known, position + 1);
        }
    }

    /** A step feeds tokens of the request; call it before the step is decided. */
    void read(final RequestContent content)
    {
        final Sequence sequence = sequences.get(content.requestId());
        if (sequence == null)
        {
            sequences.put(content.requestId(), new Sequence(content, seed));
        }
        else
        {
            sequence.read(content);
        }
    }

    @Override
    public int token(final long requestId, final int position, final int weightGeneration)
    {
        final Sequence sequence = sequences.get(requestId);
        final long draw =
            SplitMix64.mix(weightGeneration == 0 ? sequence.key : SplitMix64.mix(sequence.key, weightGeneration), position);
        final boolean ends = position > sequence.promptTokens && position >= sequence.mayStopAt &&
            SplitMix64.mix(draw, LENGTH_GAMMA) >>> Long.SIZE - DRAW_BITS < endLimit;
        final int token =
            ends ? SimulatedVocabulary.END : sequence.allowedAt(position, SimulatedVocabulary.word(draw));
        sequence.set(position, token);
        return token;
    }

    @Override
    public boolean leavesOutStopTokens()
    {
        return true;
    }

    @Override
    public float logprob(final long requestId, final int position)
    {
        final Sequence sequence = sequences.get(requestId);
        if (!sequence.wantsLogprobs)
        {
            return StepTokens.NO_LOGPROB;
        }
        final long draw = SplitMix64.mix(SplitMix64.mix(sequence.key, position), LOGPROB_GAMMA);
        final double unit = (draw >>> Long.SIZE - DRAW_BITS) / (double)(1L << DRAW_BITS);
        return (float)(MOST_NEGATIVE_LOGPROB * unit * unit);
    }

    @Override
    public long key(final long requestId, final int position)
    {
        final Sequence sequence = sequences.get(requestId);
        long key = SplitMix64.mix(sequence.cacheKey, position);
        for (int i = Math.max(0, position - WINDOW + 1); i <= position; i++)
        {
            // The device feeds draft tokens behind those that are known.
            key = SplitMix64.mix(key, i < sequence.known ? sequence.tokens[i] : ~i);
        }
        return key;
    }
}
