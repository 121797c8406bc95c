// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import com.fasterxml.jackson.core.JsonGenerator;

import java.io.IOException;
import java.util.List;

/**
 * Tokens of answers and of their prompts; a prompt counts once for all of its answers.
 *
 * @param cachedTokens of prompts, whose KV blocks were there.
 */
record Usage(int promptTokens, int answerTokens, int cachedTokens)
{
    static Usage of(final List<ServedAnswer> answers)
    {
        int prompts = 0;
        int cached = 0;
        int tokens = 0;
        int[] before = null;
        for (final ServedAnswer answer : answers)
        {
            tokens += answer.tokens();
            prompts += answer.prompt() == before ? 0 : answer.prompt().length;
            cached += answer.prompt() == before ? 0 : answer.handle().cachedTokens();
            before = answer.prompt();
        }
        return new Usage(prompts, tokens, cached);
    }

    /** Writes the field {@code usage}. */
    void write(final JsonGenerator json) throws IOException
    {
        json.writeObjectFieldStart("usage");
        json.writeNumberField("prompt_tokens", promptTokens);
        json.writeNumberField("completion_tokens", answerTokens);
        json.writeNumberField("total_tokens", promptTokens + answerTokens);
        json.writeObjectFieldStart("prompt_tokens_details");
        json.writeNumberField("cached_tokens", cachedTokens);
        json.writeEndObject();
        json.writeEndObject();
    }
}
