// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import io.signalbox.server.text.ModelText;

import java.util.List;

/**
 * The model of a server.
 *
 * @param names         under which clients ask for it; the first is the one that it tells.
 * @param contextTokens of prompt and answer together, at most.
 * @param hiddenLayers  layers of the model, dense ones included; routed experts are padded to them.
 */
public record ServedModel(List<String> names, int contextTokens, int hiddenLayers, ModelText text)
{
    private static final int MAX_NAME = 256;

    public static final Setting<List<String>> NAMES = Setting.form("servedModelName", "", "signalbox-simulated",
        "a name of 1 to " + MAX_NAME + " characters without blanks",
        text -> text.isEmpty() || text.length() > MAX_NAME || text.contains(" ") ? null : text, text -> text,
        "Names of the model; answers have the first if a request names none.").list()
        .option("--served-model-name", "NAME,...",
            "Serve the model under each NAME; answers have the first if a request names no model")
        .elsewhere("--served-model-name", "--served-model-name (one name)", "");
    /** A usual context; a larger pool does not mean that a model was made for longer sequences. */
    public static final Setting<Integer> CONTEXT_TOKENS = Setting.integer("contextTokens", "tokens", 131_072, 2,
        Integer.MAX_VALUE, "Most tokens of a prompt with its answer.")
        .option("--max-model-len", "TOKENS", "Refuse requests whose prompt and answer have more TOKENS")
        .elsewhere("--max-model-len", "--context-length", "--max_seq_len");

    /** @throws ConfigException if a value is not allowed. */
    public ServedModel
    {
        NAMES.check(names);
        CONTEXT_TOKENS.check(contextTokens);
        if (hiddenLayers < 1)
        {
            throw ConfigException.of("hiddenLayers", Integer.toString(hiddenLayers), "1 or more",
                "give the number of layers of the model");
        }
        names = List.copyOf(names);
    }

    /** @throws ApiError if clients do not know it by this name; null is any name. */
    void require(final String name)
    {
        if (name != null && !names.contains(name))
        {
            throw new ApiError(ApiError.NOT_FOUND, "The model `" + (name.length() > MAX_NAME ? "..." : name) +
                "` does not exist.", "model", "model_not_found", null);
        }
    }

    /**
     * The number of tokens that an answer may have.
     *
     * @param wanted -1: as many as fit.
     * @param names  of the route's fields.
     * @throws ApiError in the words of vLLM if prompt and answer do not fit.
     */
    int newTokens(final int promptTokens, final int wanted, final FieldNames names)
    {
        if (promptTokens + Math.min(1, wanted < 0 ? 1 : wanted) > contextTokens)
        {
            throw new ApiError(ApiError.BAD_REQUEST, "This model's maximum context length is " + contextTokens +
                " tokens. However, your request has " + promptTokens +
                " input tokens. Please reduce the length of the input messages.", names.prompt(),
                "context_length_exceeded", null);
        }
        if (wanted > contextTokens - promptTokens)
        {
            throw new ApiError(ApiError.BAD_REQUEST, names.maxTokensInWords() + " is too large: " + wanted +
                ". This model's maximum context length is " + contextTokens + " tokens and your request has " +
                promptTokens + " input tokens (" + wanted + " > " + contextTokens + " - " + promptTokens + ").",
                names.maxTokens(), null, null);
        }
        return wanted < 0 ? contextTokens - promptTokens : wanted;
    }
}
