// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.server.http.HttpReply;
import io.signalbox.server.http.HttpRequest;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** {@code /inference/v1/generate} of vLLM, with tokens in and out, and its routes for the tokens of a text. */
final class VllmRoutes
{
    private static final int OK = 200;
    private static final int MILLIS = 1000;

    private final ServerConfig config;
    private final ServedModel model;
    private final Generations generations;

    VllmRoutes(final ServerConfig config, final Generations generations)
    {
        this.config = config;
        model = config.model();
        this.generations = generations;
    }

    void generate(final HttpRequest request, final HttpReply reply)
    {
        final RequestFields fields = RequestFields.parse(request.body());
        model.require(fields.text("model"));
        final RequestFields sampling = fields.object("sampling_params");
        UnsupportedFields.OF_VLLM.refuse(fields);
        UnsupportedFields.OF_VLLM.refuse(sampling);
        final String tokens = "token_ids";
        final int[] prompt = PromptFields.tokens(fields.wholes(tokens), tokens, model.text());
        final RowEncoding.Wanted rows =
            config.hasRoutedExperts() ? RowFields.of(sampling, RowEncoding.Form.NPY) : null;
        final AnswerSettings settings = AnswerSettings.ofVllm(
            sampling, fields, rows, RequestSource.of(request, generations.ranks()).named(fields, "request_id"));
        final String name = fields.text("model");
        final boolean usage = fields.object("stream_options").flag("include_usage");
        generations.start(List.of(prompt), settings, FieldNames.ofVllm(tokens), new Answers(
            reply, RequestIds.of(fields, "request_id", request), name == null ? model.names().get(0) : name,
            fields.flag("stream"), usage, fields.flag("return_token_ids"), settings.logprobs()), reply);
    }

    /** Writes the answers of the route. */
    private static final class Answers implements AnswerWriter
    {
        private final HttpReply reply;
        private final AnswerEvents events;
        private final String id;
        private final String model;
        private final boolean stream;
        private final boolean usage;
        private final boolean promptIds;
        private final boolean logprobs;

        private Answers(
            final HttpReply reply, final String id, final String model, final boolean stream, final boolean usage,
            final boolean promptIds, final boolean logprobs)
        {
            this.reply = reply;
            events = new AnswerEvents(reply);
            this.id = id;
            this.model = model;
            this.stream = stream;
            this.usage = usage;
            this.promptIds = promptIds;
            this.logprobs = logprobs;
        }

        @Override
        public void tokens(final ServedAnswer answer, final String text)
        {
            if (stream)
            {
                chunk(answer);
            }
        }

        @Override
        public void ended(final ServedAnswer answer, final String rest)
        {
            if (stream)
            {
                chunk(answer);
            }
        }

        private void chunk(final ServedAnswer answer)
        {
            final int from = answer.show();
            events.send(json -> document(json, List.of(answer), from, null));
        }

        /** @param counted answers whose usage is told; {@code null}: no usage. */
        private void document(
            final JsonGenerator json, final List<ServedAnswer> answers, final int from, final List<ServedAnswer> counted)
            throws IOException
        {
            json.writeStartObject();
            json.writeStringField("request_id", id);
            json.writeStringField("model", model);
            json.writeNumberField("created", System.currentTimeMillis() / MILLIS);
            json.writeArrayFieldStart("choices");
            for (final ServedAnswer answer : answers)
            {
                choice(json, answer, from);
            }
            json.writeEndArray();
            if (counted != null)
            {
                Usage.of(counted).write(json);
            }
            if (promptIds && from == 0 && !answers.isEmpty())
            {
                json.writeFieldName("prompt_token_ids");
                json.writeArray(answers.get(0).prompt(), 0, answers.get(0).prompt().length);
            }
            json.writeEndObject();
        }

        private void choice(final JsonGenerator json, final ServedAnswer answer, final int from) throws IOException
        {
            final int[] ids = Arrays.copyOfRange(answer.handle().tokens(), from, answer.tokens());
            json.writeStartObject();
            json.writeNumberField("index", answer.index());
            json.writeFieldName("token_ids");
            json.writeArray(ids, 0, ids.length);
            json.writeStringField("finish_reason", answer.finishReason());
            if (logprobs)
            {
                json.writeObjectFieldStart("logprobs");
                json.writeArrayFieldStart("content");
                for (int i = from; i < answer.tokens(); i++)
                {
                    json.writeStartObject();
                    json.writeStringField("token", "token_id:" + answer.handle().token(i));
                    json.writeNumberField("logprob", OpenAiLogprobs.logprob(answer, i));
                    json.writeEndObject();
                }
                json.writeEndArray();
                json.writeEndObject();
            }
            else
            {
                json.writeNullField("logprobs");
            }
            if (answer.finishReason() != null)
            {
                RowFields.write(json, answer);
            }
            json.writeEndObject();
        }

        @Override
        public void allEnded(final List<ServedAnswer> answers)
        {
            if (!stream)
            {
                reply.send(OK, HttpReply.JSON, JsonBytes.of(json -> document(json, answers, 0, answers)));
                return;
            }
            if (usage)
            {
                events.send(json -> document(json, List.of(), 0, answers));
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
            if (stream)
            {
                events.keepAlive();
            }
        }
    }

    private int[] tokens(final RequestFields fields)
    {
        if (fields.get(ChatFields.MESSAGES) != null)
        {
            return PromptFields.chat(fields, model.text());
        }
        final String name = "prompt";
        if (fields.text(name) == null)
        {
            throw ApiError.badRequest(name, "neither prompt nor messages is given; give one of them");
        }
        return PromptFields.prompts(fields, name, model.text()).get(0);
    }

    void tokenize(final HttpRequest request, final HttpReply reply)
    {
        final RequestFields fields = RequestFields.parse(request.body());
        model.require(fields.text("model"));
        UnsupportedFields.OF_VLLM.refuse(fields);
        final int[] tokens = tokens(fields);
        reply.send(OK, HttpReply.JSON, JsonBytes.of(json ->
        {
            json.writeStartObject();
            json.writeNumberField("count", tokens.length);
            json.writeNumberField("max_model_len", model.contextTokens());
            json.writeFieldName("tokens");
            json.writeArray(tokens, 0, tokens.length);
            if (fields.flag("return_token_strs"))
            {
                json.writeArrayFieldStart("token_strs");
                for (final int token : IntStream.of(tokens).toArray())
                {
                    json.writeString(model.text().decodeWhole(new int[] {token}));
                }
                json.writeEndArray();
            }
            json.writeEndObject();
        }));
    }

    void detokenize(final HttpRequest request, final HttpReply reply)
    {
        final RequestFields fields = RequestFields.parse(request.body());
        model.require(fields.text("model"));
        final int[] tokens = PromptFields.tokens(fields.wholes("tokens"), "tokens", model.text());
        reply.send(OK, HttpReply.JSON, JsonBytes.of(json ->
        {
            json.writeStartObject();
            json.writeStringField("prompt", model.text().decodeWhole(tokens));
            json.writeEndObject();
        }));
    }
}
