// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.ConfigException;
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

    /** @throws ConfigException if a value is not allowed. */
    public ServedModel
    {
        if (names.isEmpty() || names.stream().anyMatch(name -> name.isEmpty() || name.length() > MAX_NAME))
        {
            throw ConfigException.of("names", names.toString(), "names of 1 to " + MAX_NAME + " characters", "give one");
        }
        if (contextTokens < 2)
        {
            throw ConfigException.of("contextTokens", Integer.toString(contextTokens), "2 or more",
                "give the most tokens of a prompt and its answer");
        }
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
     * @param param  field of the prompt, for the refusal.
     * @throws ApiError in the words of vLLM if prompt and answer do not fit.
     */
    int newTokens(final int promptTokens, final int wanted, final String param)
    {
        if (promptTokens + Math.min(1, wanted < 0 ? 1 : wanted) > contextTokens)
        {
            throw new ApiError(ApiError.BAD_REQUEST, "This model's maximum context length is " + contextTokens +
                " tokens. However, your request has " + promptTokens +
                " input tokens. Please reduce the length of the input messages.", param, "context_length_exceeded", null);
        }
        if (wanted > contextTokens - promptTokens)
        {
            throw new ApiError(ApiError.BAD_REQUEST, "'max_tokens' or 'max_completion_tokens' is too large: " + wanted +
                ". This model's maximum context length is " + contextTokens + " tokens and your request has " +
                promptTokens + " input tokens (" + wanted + " > " + contextTokens + " - " + promptTokens + ").",
                "max_tokens", null, null);
        }
        return wanted < 0 ? contextTokens - promptTokens : wanted;
    }
}
