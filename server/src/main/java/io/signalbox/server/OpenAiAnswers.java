// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.server.http.HttpReply;
import io.signalbox.server.text.ModelText;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** Answers as OpenAI's API has them: of completions or of chats, whole or as a stream. */
final class OpenAiAnswers implements AnswerWriter
{
    private static final int OK = 200;

    private final Form form;
    private final HttpReply reply;
    private final ModelText text;
    private final OpenAiLogprobs logprobs;
    private final AnswerEvents events;

    /**
     * What a request asks of the form of its answers.
     *
     * @param id            of the answer.
     * @param model         as the client named it.
     * @param usage         whether a stream ends with a chunk of usage.
     * @param usageAlways   whether each chunk of a stream has it.
     * @param tokenIds      whether the ids of tokens are wanted.
     * @param createdSeconds since 1970.
     */
    record Form(
        String id, String model, boolean chat, boolean stream, boolean usage, boolean usageAlways, boolean tokenIds,
        boolean logprobs, long createdSeconds)
    {
        /** The name of the object, of a chunk or of a whole answer. */
        private String object()
        {
            return !chat ? "text_completion" : stream ? "chat.completion.chunk" : "chat.completion";
        }
    }

    OpenAiAnswers(final Form form, final HttpReply reply, final ModelText text)
    {
        this.form = form;
        this.reply = reply;
        this.text = text;
        logprobs = new OpenAiLogprobs(text, form.chat());
        events = new AnswerEvents(reply);
    }

    @Override
    public void tokens(final ServedAnswer answer, final String news)
    {
        if (form.stream())
        {
            chunk(answer, news, null);
        }
    }

    @Override
    public void ended(final ServedAnswer answer, final String rest)
    {
        if (form.stream())
        {
            chunk(answer, rest, answer.finishReason());
        }
    }

    private void chunk(final ServedAnswer answer, final String news, final String finishReason)
    {
        final int from = answer.show();
        if (news.isEmpty() && finishReason == null && !form.tokenIds() && !form.logprobs())
        {
            return;
        }
        final boolean isFirst = from == 0;
        if (isFirst && form.chat())
        {
            events.send(json -> document(json, () -> choice(json, answer, 0, 0, true, "", null), null));
        }
        final List<ServedAnswer> counted = form.usageAlways() ? List.of(answer) : null;
        events.send(json -> document(
            json, () -> choice(json, answer, from, answer.tokens(), false, news, finishReason), counted));
    }

    /** Writes a part of a document. */
    private interface Part
    {
        void write() throws IOException;
    }

    /** @param counted answers whose usage is told; {@code null}: no usage. */
    private void document(final JsonGenerator json, final Part choices, final List<ServedAnswer> counted) throws IOException
    {
        json.writeStartObject();
        json.writeStringField("id", form.id());
        json.writeStringField("object", form.object());
        json.writeNumberField("created", form.createdSeconds());
        json.writeStringField("model", form.model());
        json.writeArrayFieldStart("choices");
        choices.write();
        json.writeEndArray();
        if (counted != null)
        {
            Usage.of(counted).write(json);
        }
        else if (form.stream() && form.usage())
        {
            json.writeNullField("usage");
        }
        json.writeEndObject();
    }

    private void choice(
        final JsonGenerator json, final ServedAnswer answer, final int from, final int to, final boolean opens,
        final String news, final String finishReason) throws IOException
    {
        json.writeStartObject();
        json.writeNumberField("index", answer.index());
        if (form.chat())
        {
            json.writeObjectFieldStart(form.stream() ? "delta" : "message");
            if (opens || !form.stream())
            {
                json.writeStringField("role", "assistant");
            }
            json.writeStringField("content", news);
            if (!form.stream())
            {
                json.writeNullField("refusal");
            }
            json.writeEndObject();
        }
        else
        {
            json.writeStringField("text", news);
        }
        if (form.logprobs() && !opens)
        {
            logprobs.write(json, answer, from, to);
        }
        else
        {
            json.writeNullField("logprobs");
        }
        json.writeStringField("finish_reason", finishReason);
        stopReason(json, answer, finishReason);
        if (form.tokenIds() && !opens)
        {
            tokenIds(json, answer, from, to);
        }
        if (answer.wantsRows() && finishReason != null)
        {
            RowFields.write(json, answer);
        }
        json.writeEndObject();
    }

    private void stopReason(final JsonGenerator json, final ServedAnswer answer, final String finishReason)
        throws IOException
    {
        final Object reason = finishReason == null ? null : answer.stopReason(text.endTokens());
        if (reason instanceof Integer)
        {
            json.writeNumberField("stop_reason", (Integer)reason);
        }
        else
        {
            json.writeStringField("stop_reason", (String)reason);
        }
    }

    private void tokenIds(final JsonGenerator json, final ServedAnswer answer, final int from, final int to)
        throws IOException
    {
        if (from == 0)
        {
            json.writeFieldName("prompt_token_ids");
            json.writeArray(answer.prompt(), 0, answer.prompt().length);
        }
        final int[] ids = Arrays.copyOfRange(answer.handle().tokens(), from, to);
        json.writeFieldName("token_ids");
        json.writeArray(ids, 0, ids.length);
    }

    @Override
    public void allEnded(final List<ServedAnswer> answers)
    {
        if (!form.stream())
        {
            reply.send(OK, HttpReply.JSON, JsonBytes.of(json -> document(json, () ->
            {
                for (final ServedAnswer answer : answers)
                {
                    choice(json, answer, 0, answer.tokens(), false, answer.text(), answer.finishReason());
                }
            }, answers)));
            return;
        }
        if (form.usage())
        {
            events.send(json -> document(json, () -> { }, answers));
        }
        events.end();
    }

    @Override
    public void failed(final ApiError error)
    {
        events.fail(error);
    }

    @Override
    public void quiet()
    {
        if (form.stream())
        {
            events.keepAlive();
        }
    }
}
