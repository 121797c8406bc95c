// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.ConfigException;
import io.signalbox.server.text.Conversation;
import io.signalbox.server.text.ModelText;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Reads the prompts of requests, whatever the name of the field. */
final class PromptFields
{
    private static final int MAX_PROMPTS = 128;
    private static final String SPECIAL_TOKENS = "add_special_tokens";

    private PromptFields()
    {
    }

    /** A string, strings, tokens, or lists of tokens. */
    static List<int[]> prompts(final RequestFields fields, final String name, final ModelText text)
    {
        final Object value = fields.get(name);
        final List<int[]> prompts = new ArrayList<>();
        final boolean adds = fields.get(SPECIAL_TOKENS) == null || fields.flag(SPECIAL_TOKENS);
        if (value instanceof int[] || value instanceof String)
        {
            prompts.add(prompt(value, name, text, adds));
        }
        else if (value instanceof List && !((List<?>)value).isEmpty() && ((List<?>)value).size() <= MAX_PROMPTS)
        {
            for (final Object item : (List<?>)value)
            {
                prompts.add(prompt(item, name, text, adds));
            }
        }
        else
        {
            throw refused(name);
        }
        return prompts;
    }

    private static int[] prompt(
        final Object value, final String name, final ModelText text, final boolean addsSpecialTokens)
    {
        if (value instanceof String)
        {
            return encoded(
                name, () -> addsSpecialTokens ? text.encode((String)value) : text.encodeWhole((String)value));
        }
        if (value instanceof int[])
        {
            return tokens((int[])value, name, text);
        }
        throw refused(name);
    }

    /** The tokens of messages. */
    static int[] chat(final RequestFields fields, final ModelText text)
    {
        if (fields.flag(SPECIAL_TOKENS))
        {
            throw fields.refused(SPECIAL_TOKENS, "false, because the chat template has the special tokens");
        }
        final Conversation conversation = ChatFields.conversation(fields);
        return encoded(ChatFields.MESSAGES, () -> text.chat(conversation));
    }

    private static ApiError refused(final String name)
    {
        return ApiError.badRequest(name, name + " is absent or of another kind; give a string, a list of token ids, or a " +
            "list of up to " + MAX_PROMPTS + " of either");
    }

    /** @throws ApiError if there is no token, or one is not in the vocabulary. */
    static int[] tokens(final int[] ids, final String name, final ModelText text)
    {
        if (ids.length == 0)
        {
            throw ApiError.badRequest(name, name + " is empty; give at least one token");
        }
        for (final int id : ids)
        {
            if (id < 0 || id >= text.vocabularySize())
            {
                throw ApiError.badRequest(name, name + " has the token id " + id + ", which is not in the vocabulary; " +
                    "give ids from 0 to " + (text.vocabularySize() - 1));
            }
        }
        return ids;
    }

    /** @throws ApiError if the text has no tokens. */
    static int[] encoded(final String name, final Supplier<int[]> encoder)
    {
        final int[] tokens;
        try
        {
            tokens = encoder.get();
        }
        catch (final ConfigException e)
        {
            throw ApiError.badRequest(name, e.getMessage());
        }
        if (tokens.length == 0)
        {
            throw ApiError.badRequest(name, name + " is empty; give at least one token");
        }
        return tokens;
    }
}
