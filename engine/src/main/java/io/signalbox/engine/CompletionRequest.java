// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.batch.Request;
import io.signalbox.engine.request.Sampling;
import io.signalbox.engine.ring.Nanos;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * A request for a completion, begun with {@link #prompt}. Immutable: each method returns another request, so that one can be
 * the pattern of many. A method throws {@link ConfigException} if its value is not allowed.
 */
public final class CompletionRequest
{
    /** New tokens of a request that does not say how many. */
    public static final int DEFAULT_NEW_TOKENS = 16;

    /** The largest number of stop tokens of a request. */
    public static final int MAX_STOP_TOKENS = Request.MAX_STOP_TOKENS;

    /** Longest {@link #clientId}. */
    public static final int MAX_CLIENT_ID = 128;

    private static final byte[] NO_KEY = {};
    private static final int[] NO_STOP_TOKENS = {};
    private static final int NONE = -1;

    private final int[] prompt;
    private int maxNewTokens = DEFAULT_NEW_TOKENS;
    private int minNewTokens;
    private boolean ignoresEos;
    /** Ascending. */
    private int[] stopTokens = NO_STOP_TOKENS;
    private byte[] cacheKey = NO_KEY;
    private Deadline deadline = Deadline.NONE;
    private int priority;
    private int rowsFrom = NONE;
    private long conversationId = NONE;
    private int rankHint = NONE;
    private boolean rankHintRelaxed;
    private Sampling sampling = Sampling.PLAIN;
    private long sampleOf = NONE;
    /** {@code null}: none. */
    private String clientId;

    private CompletionRequest(final int[] prompt)
    {
        this.prompt = prompt;
    }

    private CompletionRequest(final CompletionRequest other)
    {
        prompt = other.prompt;
        maxNewTokens = other.maxNewTokens;
        minNewTokens = other.minNewTokens;
        ignoresEos = other.ignoresEos;
        stopTokens = other.stopTokens;
        cacheKey = other.cacheKey;
        deadline = other.deadline;
        priority = other.priority;
        rowsFrom = other.rowsFrom;
        conversationId = other.conversationId;
        rankHint = other.rankHint;
        rankHintRelaxed = other.rankHintRelaxed;
        sampling = other.sampling;
        sampleOf = other.sampleOf;
        clientId = other.clientId;
    }

    /**
     * A request with this prompt, at most {@link #DEFAULT_NEW_TOKENS} new tokens, and the model's own probabilities.
     *
     * @param tokens token ids, 0 or more, at least one; copied.
     */
    public static CompletionRequest prompt(final int[] tokens)
    {
        if (tokens == null)
        {
            throw ConfigException.of("prompt", "null", "an array of tokens", "give its token ids");
        }
        if (tokens.length == 0)
        {
            throw ConfigException.of("prompt", "[]", "one or more tokens", "give at least one token");
        }
        final int[] copy = tokens.clone();
        for (int i = 0; i < copy.length; i++)
        {
            if (copy[i] < 0)
            {
                throw ConfigException.of("prompt[" + i + "]", Integer.toString(copy[i]), "a token id",
                    "give token ids of the model, from 0");
            }
        }
        return new CompletionRequest(copy);
    }

    /** @param tokens to generate at most; 0 for prefill only. */
    public CompletionRequest maxNewTokens(final int tokens)
    {
        if (tokens < 0)
        {
            throw ConfigException.of("maxNewTokens", Integer.toString(tokens), "0 or more", "give 0 for prefill only");
        }
        final CompletionRequest changed = new CompletionRequest(this);
        changed.maxNewTokens = tokens;
        return changed;
    }

    /**
     * The answer has at least so many tokens before a stop token: until then the sampler leaves out all stop tokens of the
     * request and of the model. A backend that cannot is refused by name when the request is submitted.
     *
     * @param tokens 0, the default, to {@link #maxNewTokens}.
     */
    public CompletionRequest minNewTokens(final int tokens)
    {
        if (tokens < 0)
        {
            throw ConfigException.of("minNewTokens", Integer.toString(tokens), "0 or more", "give 0 for no least length");
        }
        final CompletionRequest changed = new CompletionRequest(this);
        changed.minNewTokens = tokens;
        return changed;
    }

    /**
     * The end tokens of the model do not end the request. Without this call they do, in addition to the tokens of
     * {@link #stopAt}, if the backend knows them: {@code BackendCapabilities.endTokens}.
     */
    public CompletionRequest ignoreEos()
    {
        final CompletionRequest changed = new CompletionRequest(this);
        changed.ignoresEos = true;
        return changed;
    }

    /**
     * The request ends with the first of these tokens, which its answer then contains. They replace earlier stop tokens.
     *
     * @param tokenIds at most {@link #MAX_STOP_TOKENS} different tokens, in any order, those of the model included; if
     *                 empty, the end tokens of the model and the length end the request.
     */
    public CompletionRequest stopAt(final int... tokenIds)
    {
        if (tokenIds == null)
        {
            throw ConfigException.of("stopAt", "null", "an array of tokens", "give an empty array for no stop token");
        }
        final int[] ascending = Arrays.stream(tokenIds).sorted().distinct().toArray();
        if (ascending.length > 0 && ascending[0] < 0)
        {
            throw ConfigException.of(
                "stopAt", Integer.toString(ascending[0]), "token ids, 0 or more", "give no id for no stop token");
        }
        if (ascending.length > MAX_STOP_TOKENS)
        {
            throw ConfigException.of("stopAt", ascending.length + " different tokens", "at most " + MAX_STOP_TOKENS,
                "give fewer stop tokens");
        }
        final CompletionRequest changed = new CompletionRequest(this);
        changed.stopTokens = ascending;
        return changed;
    }

    /** @param value finite, 0 or more; 0: the most probable token. */
    public CompletionRequest temperature(final double value)
    {
        return sampled(sampling.withTemperature((float)value));
    }

    /** @param tokens sample from the k most probable tokens; 0: from all. */
    public CompletionRequest topK(final int tokens)
    {
        return sampled(sampling.withTopK(tokens));
    }

    /** @param probability sample from the most probable tokens that together have it; above 0, at most 1. */
    public CompletionRequest topP(final double probability)
    {
        return sampled(sampling.withTopP((float)probability));
    }

    /** @param value seed of the random numbers that sample the tokens, any number; without it, the id of the request. */
    public CompletionRequest seed(final long value)
    {
        return sampled(sampling.withSeed(value));
    }

    /** Wants the log-probability of each token; refused by a backend that does not report them. */
    public CompletionRequest logprobs()
    {
        return sampled(sampling.withLogprobs());
    }

    CompletionRequest sampled(final Sampling value)
    {
        final CompletionRequest changed = new CompletionRequest(this);
        changed.sampling = value;
        return changed;
    }

    /** @param bytes further inputs that KV content depends on (LoRA, salt, tenant); copied; empty for none. */
    public CompletionRequest cacheKey(final byte[] bytes)
    {
        if (bytes == null)
        {
            throw ConfigException.of(
                "cacheKey", "null", "an array of bytes", "give an empty array if KV content depends on nothing else");
        }
        final CompletionRequest changed = new CompletionRequest(this);
        changed.cacheKey = bytes.clone();
        return changed;
    }

    /**
     * The client's own id, such as the id of a call. It decides nothing; the journal has it as a note after the request.
     *
     * @param id 1 to {@link #MAX_CLIENT_ID} printable ASCII characters without spaces.
     */
    public CompletionRequest clientId(final String id)
    {
        if (id == null || id.length() > MAX_CLIENT_ID || !id.matches("[!-~]+"))
        {
            throw ConfigException.of("clientId", id == null || id.length() > MAX_CLIENT_ID ? String.valueOf(
                    id == null ? null : id.length() + " characters") : id,
                "1 to " + MAX_CLIENT_ID + " printable ASCII characters without spaces", "leave it out for no id");
        }
        final CompletionRequest changed = new CompletionRequest(this);
        changed.clientId = id;
        return changed;
    }

    /** @param id of the conversation, 0 or more; some routers keep a conversation on its rank. */
    public CompletionRequest conversation(final long id)
    {
        if (id < 0)
        {
            throw ConfigException.of("conversation", Long.toString(id), "0 or more", "leave it out for no conversation");
        }
        final CompletionRequest changed = new CompletionRequest(this);
        changed.conversationId = id;
        return changed;
    }

    /** @param rank preferred if it has room; the router may choose another. */
    public CompletionRequest rankHint(final int rank)
    {
        return rankHint(rank, true);
    }

    /** @param relaxed false: the request waits until this rank has room. A lost or unknown rank counts as no hint. */
    public CompletionRequest rankHint(final int rank, final boolean relaxed)
    {
        if (rank < 0)
        {
            throw ConfigException.of("rankHint", Integer.toString(rank), "0 or more", "leave it out for no hint");
        }
        final CompletionRequest changed = new CompletionRequest(this);
        changed.rankHint = rank;
        changed.rankHintRelaxed = relaxed;
        return changed;
    }

    /** @param value a higher one is admitted first; 0 without one. */
    public CompletionRequest priority(final int value)
    {
        final CompletionRequest changed = new CompletionRequest(this);
        changed.priority = value;
        return changed;
    }

    /** @param afterSubmit the request ends then, with the tokens that it has; above zero. */
    public CompletionRequest deadline(final Duration afterSubmit)
    {
        if (afterSubmit == null || afterSubmit.isZero() || afterSubmit.isNegative())
        {
            throw ConfigException.of(
                "deadline", String.valueOf(afterSubmit), "a time above zero", "leave it out for no deadline");
        }
        final long nanos = Nanos.of(afterSubmit);
        return until(new Deadline((now, wall) -> Nanos.sum(now, nanos), Nanos.text(nanos) + " after submission"));
    }

    /**
     * The request ends at this moment with the tokens that it has, or at once if the moment is past. The engine converts the
     * moment to its clock when the request is submitted: later changes of the system's clock do not move the deadline.
     */
    public CompletionRequest deadlineAt(final Instant moment)
    {
        if (moment == null)
        {
            throw ConfigException.of("deadlineAt", "null", "a moment", "leave it out for no deadline");
        }
        return until(new Deadline((now, wall) ->
        {
            final long ahead = Nanos.between(wall, moment);
            return ahead < 0 ? Math.max(0, now + ahead) : Nanos.sum(now, ahead);
        }, moment.toString()));
    }

    /**
     * The same on the engine's clock, {@link SignalboxEngine#timeNanos}.
     *
     * @param engineNanos 0 or more.
     */
    public CompletionRequest deadlineAt(final long engineNanos)
    {
        if (engineNanos < 0)
        {
            throw ConfigException.of("deadlineAt", Long.toString(engineNanos), "0 or more, on the engine's clock",
                "leave it out for no deadline");
        }
        return until(new Deadline((now, wall) -> engineNanos, engineNanos + " ns on the engine's clock"));
    }

    private CompletionRequest until(final Deadline end)
    {
        final CompletionRequest changed = new CompletionRequest(this);
        changed.deadline = end;
        return changed;
    }

    /** @param text as a user reads it. */
    private record Deadline(EngineTime time, String text)
    {
        private static final Deadline NONE = new Deadline((now, wall) -> CompletionRequest.NONE, "none");
    }

    /** The engine's time of a deadline, by the time of the submission on both clocks. */
    @FunctionalInterface
    private interface EngineTime
    {
        long atNanos(long submittedNanos, Instant submitted);
    }

    /** @param from first position of the prompt whose routed-expert rows are wanted; 0: all; -1: none. */
    public CompletionRequest routedExperts(final int from)
    {
        if (from < NONE || from > prompt.length)
        {
            throw ConfigException.of("routedExperts", Integer.toString(from), "-1 or a position of the prompt of " +
                prompt.length + " tokens", "give 0 for all rows or -1 for none");
        }
        final CompletionRequest changed = new CompletionRequest(this);
        changed.rowsFrom = from;
        return changed;
    }

    /** @param index of the sample, from 1. With a seed its random numbers have another one than the first sample's. */
    CompletionRequest sample(final long first, final int index)
    {
        final CompletionRequest changed = new CompletionRequest(this);
        changed.sampleOf = first;
        changed.sampling = sampling.ofSample(index);
        return changed;
    }

    /** The request that computes the prompt for this one; -1: none. */
    long sampleOf()
    {
        return sampleOf;
    }

    /** A copy. */
    public int[] promptTokens()
    {
        return prompt.clone();
    }

    /** Not a copy. */
    int[] prompt()
    {
        return prompt;
    }

    public int maxNewTokens()
    {
        return maxNewTokens;
    }

    public int minNewTokens()
    {
        return minNewTokens;
    }

    public boolean ignoresEos()
    {
        return ignoresEos;
    }

    /**
     * Ascending; not a copy.
     *
     * @param endTokens of the model.
     */
    int[] stopTokens(final int[] endTokens)
    {
        return ignoresEos || endTokens.length == 0 ? stopTokens :
            IntStream.concat(IntStream.of(stopTokens), IntStream.of(endTokens)).sorted().distinct().toArray();
    }

    /** A copy; ascending; those of {@link #stopAt}. */
    public int[] stopTokens()
    {
        return stopTokens.clone();
    }

    /** A copy. */
    public byte[] cacheKey()
    {
        return cacheKey.clone();
    }

    /** Not a copy. */
    byte[] keyBytes()
    {
        return cacheKey;
    }

    public float temperature()
    {
        return sampling.temperature();
    }

    public int topK()
    {
        return sampling.topK();
    }

    public float topP()
    {
        return sampling.topP();
    }

    /** Empty: the id of the request is the seed. */
    public OptionalLong seed()
    {
        return sampling.seed();
    }

    public boolean wantsLogprobs()
    {
        return sampling.logprobs();
    }

    public OptionalLong conversation()
    {
        return conversationId < 0 ? OptionalLong.empty() : OptionalLong.of(conversationId);
    }

    public OptionalInt rankHint()
    {
        return rankHint < 0 ? OptionalInt.empty() : OptionalInt.of(rankHint);
    }

    public Optional<String> clientId()
    {
        return Optional.ofNullable(clientId);
    }

    /** First position whose routed experts are wanted; empty if none are. */
    public OptionalInt routedExpertsFrom()
    {
        return rowsFrom < 0 ? OptionalInt.empty() : OptionalInt.of(rowsFrom);
    }

    /**
     * On the clock of {@link SignalboxEngine#timeNanos()}; empty: none. The time of the submission is given on both clocks.
     *
     * @param submittedNanos on the engine's clock; a {@link #deadline(Duration)} counts from it.
     * @param submitted      the same moment on the system's clock, which converts a {@link #deadlineAt(Instant)}.
     */
    public OptionalLong deadlineNanos(final long submittedNanos, final Instant submitted)
    {
        return deadline == Deadline.NONE ? OptionalLong.empty() :
            OptionalLong.of(deadline.time().atNanos(submittedNanos, submitted));
    }

    /** On the engine's clock, for a request that is submitted now; -1: none. */
    long deadlineOf(final long nowNanos)
    {
        return deadline == Deadline.NONE ? NONE : deadline.time().atNanos(nowNanos, Instant.now());
    }

    public int priority()
    {
        return priority;
    }

    int rowsFrom()
    {
        return rowsFrom;
    }

    long conversationId()
    {
        return conversationId;
    }

    /** -1: none. */
    int hintedRank()
    {
        return rankHint;
    }

    /** Whether another rank is allowed if there is a hint. */
    public boolean rankHintRelaxed()
    {
        return rankHintRelaxed;
    }

    Sampling sampling()
    {
        return sampling;
    }

    /** Sizes and settings; no tokens, which may be private. */
    @Override
    public String toString()
    {
        return count(prompt.length, "prompt token") + ", up to " + maxNewTokens + " new" +
            (minNewTokens == 0 ? "" : " and at least " + minNewTokens) + (ignoresEos ? ", without end tokens" : "") +
            (stopTokens.length == 0 ? "" : ", " + count(stopTokens.length, "stop token")) + ", " + sampling +
            (deadline == Deadline.NONE ? "" : ", deadline " + deadline.text()) +
            (priority == 0 ? "" : ", priority " + priority) +
            (conversationId < 0 ? "" : ", conversation " + conversationId) +
            (cacheKey.length == 0 ? "" : ", cache key of " + count(cacheKey.length, "byte")) +
            (rankHint < 0 ? "" : ", rank " + rankHint + (rankHintRelaxed ? " if it has room" : "")) +
            (sampleOf < 0 ? "" : ", sample of request " + sampleOf) +
            (clientId == null ? "" : ", id '" + clientId + "' of the client") +
            (rowsFrom < 0 ? "" : ", routed experts from position " + rowsFrom);
    }

    private static String count(final int number, final String noun)
    {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
