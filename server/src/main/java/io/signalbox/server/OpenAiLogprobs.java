// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.server.text.ModelText;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Log-probabilities of sampled tokens in the two forms of OpenAI's API. */
final class OpenAiLogprobs
{
    /** JSON has no infinity; OpenAI and vLLM send this. */
    private static final double LEAST = -9999;

    private final ModelText text;
    private final boolean chat;

    OpenAiLogprobs(final ModelText text, final boolean chat)
    {
        this.text = text;
        this.chat = chat;
    }

    /** Writes those of the tokens from one index to before another one. */
    void write(final JsonGenerator json, final ServedAnswer answer, final int from, final int to) throws IOException
    {
        json.writeObjectFieldStart("logprobs");
        if (chat)
        {
            ofChat(json, answer, from, to);
        }
        else
        {
            ofCompletion(json, answer, from, to);
        }
        json.writeEndObject();
    }

    private void ofChat(final JsonGenerator json, final ServedAnswer answer, final int from, final int to) throws IOException
    {
        json.writeArrayFieldStart("content");
        for (int i = from; i < to; i++)
        {
            final String token = token(answer, i);
            json.writeStartObject();
            json.writeStringField("token", token);
            json.writeNumberField("logprob", logprob(answer, i));
            json.writeArrayFieldStart("bytes");
            for (final byte part : token.getBytes(StandardCharsets.UTF_8))
            {
                json.writeNumber(part & 0xFF);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("top_logprobs");
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void ofCompletion(final JsonGenerator json, final ServedAnswer answer, final int from, final int to)
        throws IOException
    {
        json.writeArrayFieldStart("text_offset");
        int offset = 0;
        for (int i = 0; i < to; i++)
        {
            if (i >= from)
            {
                json.writeNumber(offset);
            }
            offset += token(answer, i).length();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("token_logprobs");
        for (int i = from; i < to; i++)
        {
            json.writeNumber(logprob(answer, i));
        }
        json.writeEndArray();
        json.writeArrayFieldStart("tokens");
        for (int i = from; i < to; i++)
        {
            json.writeString(token(answer, i));
        }
        json.writeEndArray();
        json.writeArrayFieldStart("top_logprobs");
        for (int i = from; i < to; i++)
        {
            json.writeStartObject();
            json.writeNumberField(token(answer, i), logprob(answer, i));
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private String token(final ServedAnswer answer, final int index)
    {
        return text.decode(new int[] {answer.handle().token(index)});
    }

    /** Finite. */
    static double logprob(final ServedAnswer answer, final int index)
    {
        final float value = answer.handle().logprob(index);
        return Float.isFinite(value) ? value : LEAST;
    }
}
