// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.ConfigException;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.server.kvevents.KvEvents;
import io.signalbox.server.text.AnswerText;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * How the answers of one HTTP request are sampled and when they end, as OpenAI's API and vLLM name it.
 *
 * @param count      answers to each prompt.
 * @param maxTokens  -1: the rest of the context.
 * @param seed       {@code null}: none.
 * @param stops      strings that end an answer.
 * @param stopTokens tokens that end an answer, besides the model's own.
 * @param ignoreEos  whether the model's own end tokens do not end an answer.
 * @param priority   a lower one is served earlier, as in vLLM.
 * @param cacheSalt  requests with another one share no KV block; {@code null}: none.
 * @param rows       the routed experts that are wanted; {@code null}: none.
 * @param textForm   what belongs to the text of an answer.
 * @param source     what the headers of the request say.
 */
record AnswerSettings(
    int count, int maxTokens, int minTokens, double temperature, double topP, int topK, Long seed, List<String> stops,
    int[] stopTokens, boolean ignoreEos, boolean logprobs, int priority, String cacheSalt, RowEncoding.Wanted rows,
    AnswerText.Form textForm, RequestSource source)
{
    /** Tokens of an answer: as many as fit the context. */
    private static final int REST = -1;
    private static final String VLLM_SEED = "seed";
    private static final int SGLANG_NEW_TOKENS = 128;
    private static final String SHOW_STOP = "include_stop_str_in_output";
    private static final String SALT = "cache_salt";
    private static final int MAX_COUNT = 128;
    private static final int MAX_STOPS = 16;
    private static final int MAX_STOP_LENGTH = 1024;
    private static final double MAX_TEMPERATURE = 100;
    private static final double MIN_TOP_P = 1e-6;

    /** Those of OpenAI's routes and their extensions in vLLM. */
    static AnswerSettings ofOpenAi(
        final RequestFields fields, final boolean chat, final RowEncoding.Wanted rows, final RequestSource source)
    {
        // Chat has a newer name for the same. A completion has 16 tokens by default, a chat the rest of the context.
        final String newer = "max_completion_tokens";
        final String most = chat && fields.get(newer) != null ? newer : "max_tokens";
        final int absent = chat ? REST : CompletionRequest.DEFAULT_NEW_TOKENS;
        return of(fields, new Names(most, "min_tokens", VLLM_SEED, SHOW_STOP, SALT), absent, logprobs(fields, chat), fields,
            rows, source);
    }

    /**
     * Those of vLLM's own route.
     *
     * @param whole the request, of which {@code fields} are the {@code sampling_params}.
     */
    static AnswerSettings ofVllm(
        final RequestFields fields, final RequestFields whole, final RowEncoding.Wanted rows, final RequestSource source)
    {
        return of(fields, new Names("max_tokens", "min_tokens", VLLM_SEED, SHOW_STOP, SALT), REST,
            fields.whole("logprobs", 0, 1) != null, whole, rows, source);
    }

    /**
     * Those of SGLang's route.
     *
     * @param whole the request, of which {@code fields} are the {@code sampling_params}.
     */
    static AnswerSettings ofSglang(
        final RequestFields fields, final RequestFields whole, final RowEncoding.Wanted rows, final RequestSource source)
    {
        return of(fields, new Names("max_new_tokens", "min_new_tokens", "sampling_seed", "no_stop_trim", "extra_key"),
            SGLANG_NEW_TOKENS, whole.flag("return_logprob"), whole, rows, source);
    }

    /** Fields that have another name on each route. */
    private record Names(String maxTokens, String minTokens, String seed, String showStop, String salt)
    {
    }

    private static AnswerSettings of(
        final RequestFields fields, final Names names, final int absentTokens, final boolean logprobs,
        final RequestFields whole, final RowEncoding.Wanted rows, final RequestSource source)
    {
        final String skip = "skip_special_tokens";
        final AnswerText.Form textForm =
            new AnswerText.Form(fields.get(skip) != null && !fields.flag(skip), fields.flag(names.showStop()));
        final int minTokens = fields.whole(names.minTokens(), 0, Integer.MAX_VALUE, 0);
        return new AnswerSettings(fields.whole("n", 1, MAX_COUNT, 1),
            fields.whole(names.maxTokens(), 0, Integer.MAX_VALUE, absentTokens), minTokens,
            fields.real("temperature", 0, MAX_TEMPERATURE, 1), fields.real("top_p", MIN_TOP_P, 1, 1),
            Math.max(0, fields.whole("top_k", -1, Integer.MAX_VALUE, 0)),
            seed(fields, names.seed()), stops(fields), stopTokens(fields),
            fields.flag("ignore_eos"), logprobs, whole.whole("priority", -Integer.MAX_VALUE, Integer.MAX_VALUE, 0),
            salt(whole, names.salt()), rows, textForm, source);
    }

    /** In vLLM, and so in its field, -1 is no seed. */
    private static Long seed(final RequestFields fields, final String name)
    {
        final Long seed = fields.whole(name, Long.MIN_VALUE, Long.MAX_VALUE);
        return seed != null && seed == -1 && name.equals(VLLM_SEED) ? null : seed;
    }

    /** The same with rows from a later position on, if it is later. */
    AnswerSettings rowsNotBefore(final int position)
    {
        return new AnswerSettings(count, maxTokens, minTokens, temperature, topP, topK, seed, stops, stopTokens, ignoreEos,
            logprobs, priority, cacheSalt, rows.notBefore(position), textForm, source);
    }

    /** What the hashes of KV blocks depend on besides tokens. */
    byte[] cacheKey()
    {
        return cacheSalt == null ? new byte[0] : cacheSalt.getBytes(StandardCharsets.UTF_8);
    }

    private static boolean logprobs(final RequestFields fields, final boolean chat)
    {
        if (!chat)
        {
            return fields.whole("logprobs", 0, 1) != null;
        }
        fields.whole("top_logprobs", 0, 1);
        return fields.flag("logprobs");
    }

    private static List<String> stops(final RequestFields fields)
    {
        final List<String> stops = fields.texts("stop");
        if (stops.size() > MAX_STOPS || stops.stream().anyMatch(stop -> stop.isEmpty() || stop.length() > MAX_STOP_LENGTH))
        {
            throw fields.refused("stop", "up to " + MAX_STOPS + " strings of 1 to " + MAX_STOP_LENGTH + " characters");
        }
        return stops;
    }

    private static int[] stopTokens(final RequestFields fields)
    {
        final int[] tokens = fields.wholes("stop_token_ids");
        if (tokens.length > CompletionRequest.MAX_STOP_TOKENS - 1 || Arrays.stream(tokens).anyMatch(token -> token < 0))
        {
            throw fields.refused(
                "stop_token_ids", "up to " + (CompletionRequest.MAX_STOP_TOKENS - 1) + " token ids, 0 or more");
        }
        return tokens;
    }

    private static String salt(final RequestFields fields, final String name)
    {
        final String salt = fields.text(name);
        if (salt != null && (salt.isEmpty() || salt.length() > KvEvents.MOST_KEY_CHARACTERS))
        {
            throw fields.refused(name, "1 to " + KvEvents.MOST_KEY_CHARACTERS + " characters");
        }
        return salt;
    }

    /** Every token that ends an answer. */
    int[] ends(final int[] modelEnds)
    {
        final int[] own = ignoreEos ? new int[0] : modelEnds;
        final int[] all = Arrays.copyOf(stopTokens, stopTokens.length + own.length);
        System.arraycopy(own, 0, all, stopTokens.length, own.length);
        return all;
    }

    /**
     * The request of one answer.
     *
     * @param number of the answer to its prompt, from 0.
     * @throws ApiError if the engine does not take such a request.
     */
    CompletionRequest request(final int[] prompt, final int newTokens, final int number)
    {
        try
        {
            CompletionRequest request = CompletionRequest.prompt(prompt).maxNewTokens(newTokens).stopAt(stopTokens)
                .minNewTokens(Math.min(minTokens, newTokens)).temperature(temperature).topP(topP).topK(topK)
                .priority(-priority);
            request = seed == null ? request : request.seed(seed + number);
            request = ignoreEos ? request.ignoreEos() : request;
            request = logprobs ? request.logprobs() : request;
            request = source.apply(request);
            request = rows == null ? request : request.routedExperts(rows.from());
            return request.cacheKey(cacheKey());
        }
        catch (final ConfigException e)
        {
            throw ApiError.badRequest(null, e.getMessage());
        }
    }
}
