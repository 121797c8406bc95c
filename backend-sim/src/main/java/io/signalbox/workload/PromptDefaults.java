// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.config.NumberText;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a prompt of a file has if its line does not say. */
public final class PromptDefaults
{
    public static final Setting<Integer> MAX_NEW_TOKENS = Setting.integer("maxNewTokens", "tokens", 16, 0,
        Integer.MAX_VALUE, "Most tokens of an answer; 0: prefill only.")
        .option("--max-new-tokens", "N", "Generate at most N tokens per prompt that does not say")
        .elsewhere("max_tokens", "max_new_tokens", "max_tokens");
    public static final Setting<Double> TEMPERATURE = Setting.real("temperature", "", 0.0, 0.0, 1.0E38,
        "Divisor of the logits before sampling; 0: the most probable token.")
        .option("--temperature", "T", "Divide logits by T before sampling; 0: the most probable token");
    public static final Setting<Integer> TOP_K = Setting.integer("topK", "tokens", 0, 0, Integer.MAX_VALUE,
        "Most probable tokens that are sampled from; 0: all.")
        .option("--top-k", "N", "Sample from the N most probable tokens; 0: from all").onlyAboveZero(TEMPERATURE);
    public static final Setting<Double> TOP_P = Setting.real("topP", "", 1.0, Double.MIN_VALUE, 1.0,
        "Probability of the most probable tokens that are sampled from.")
        .option("--top-p", "P", "Sample from the most probable tokens that together have probability P")
        .onlyAboveZero(TEMPERATURE);
    /** Leaves room for the numbers of prompts. */
    public static final Setting<Long> SEED = Setting.number("seed", "", 1, 0, Long.MAX_VALUE / 2,
        "Seed of the first prompt; each further prompt has the next one.").remedy("give a number in that range")
        .option("--seed", "N", "Sample prompt number i with the seed N + i").onlyAboveZero(TEMPERATURE);
    /** No token ends an answer if the list is empty. */
    public static final Setting<Optional<List<Integer>>> STOP_TOKENS = Setting.form("stopTokens", "", List.of(),
        "token ids separated by commas, or -1 alone for none", PromptDefaults::tokens, PromptDefaults::text,
        "Tokens that end an answer.").orAbsent("the end tokens of the checkpoint")
        .option("--stop-token", "ID,...", "End an answer with any of these tokens; -1: no stop token")
        .elsewhere("stop_token_ids", "stop_token_ids", "stop_token_ids");
    public static final Setting<Boolean> ROUTED_EXPERTS = Setting.flag("routedExperts", false,
        "Whether answers have the routed experts of every token.")
        .option("--experts", "Write the routed experts of every token to --out as well");
    public static final Setting<Boolean> LOGPROBS = Setting.flag("logprobs", false,
        "Whether answers have the log-probability of every token.")
        .option("--logprobs", "Write the log-probability of every token to --out as well");
    public static final List<Setting<?>> SETTINGS = List.of(
        ROUTED_EXPERTS, LOGPROBS, MAX_NEW_TOKENS, TEMPERATURE, TOP_K, TOP_P, SEED, STOP_TOKENS);

    private SettingValues values = SettingValues.defaults("a prompt", SETTINGS);

    /** Sets a setting of {@link #SETTINGS}. */
    public <T> PromptDefaults set(final Setting<T> setting, final T value)
    {
        values = values.with(setting, value);
        return this;
    }

    public <T> T get(final Setting<T> setting)
    {
        return values.get(setting);
    }

    /**
     * The prompt with a value for every field but the conversation.
     *
     * If neither the prompt nor {@link #STOP_TOKENS} names stop tokens, it has none: the end tokens of the model end the
     * answer.
     *
     * @param index of the prompt, from 0.
     */
    public PromptLine complete(final PromptLine line, final int index)
    {
        final int[] stop = get(STOP_TOKENS).map(tokens -> tokens.stream().mapToInt(Integer::intValue).toArray())
            .orElse(new int[0]);
        final PromptLine.SamplingFields sampling = line.sampling();
        return new PromptLine(line.id(), line.prompt(), given(line.maxNewTokens(), MAX_NEW_TOKENS),
            line.stopTokens() == null ? stop : line.stopTokens(), line.conversation(),
            new PromptLine.SamplingFields(given(sampling.temperature(), TEMPERATURE), given(sampling.topK(), TOP_K),
                given(sampling.topP(), TOP_P), sampling.seed() == null ? get(SEED) + index : sampling.seed()));
    }

    private <T> T given(final T value, final Setting<T> setting)
    {
        return value == null ? get(setting) : value;
    }

    private static List<Integer> tokens(final String text)
    {
        return text.equals("-1") ? List.of() :
            Stream.of(text.split(",", -1)).map(id -> (int)NumberText.whole(id, 0, Integer.MAX_VALUE)).toList();
    }

    private static String text(final List<Integer> tokens)
    {
        return tokens.isEmpty() ? "-1" : tokens.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
