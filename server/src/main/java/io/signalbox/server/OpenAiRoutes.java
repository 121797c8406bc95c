// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.server.http.HttpReply;
import io.signalbox.server.http.HttpRequest;

import java.util.List;

/** {@code /v1/completions} and {@code /v1/chat/completions}. */
final class OpenAiRoutes
{
    private static final int MAX_ANSWERS = 256;
    private static final int MILLIS = 1000;
    private static final String PROMPT = "prompt";

    private final ServerConfig config;
    private final ServedModel model;
    private final Generations generations;

    OpenAiRoutes(final ServerConfig config, final Generations generations)
    {
        this.config = config;
        model = config.model();
        this.generations = generations;
    }

    void completions(final HttpRequest request, final HttpReply reply)
    {
        final RequestFields fields = RequestFields.parse(request.body());
        final AnswerSettings settings = checked(request, fields, false);
        start(request, reply, fields, settings, PromptFields.prompts(fields, PROMPT, model.text()), PROMPT,
            false);
    }

    void chat(final HttpRequest request, final HttpReply reply)
    {
        final RequestFields fields = RequestFields.parse(request.body());
        final AnswerSettings settings = checked(request, fields, true);
        final int[] prompt = PromptFields.chat(fields, model.text());
        start(request, reply, fields, settings, List.of(prompt), ChatFields.MESSAGES, true);
    }

    private AnswerSettings checked(final HttpRequest request, final RequestFields fields, final boolean chat)
    {
        model.require(fields.text("model"));
        UnsupportedFields.OF_VLLM.refuse(fields);
        final boolean hasRows = fields.flag("stream") ? config.hasRowsInStreams() : config.hasRoutedExperts();
        return AnswerSettings.ofOpenAi(fields, chat, hasRows ? RowFields.of(fields, RowEncoding.Form.NPY) : null,
            RequestSource.of(request, generations.ranks()));
    }

    private void start(
        final HttpRequest request, final HttpReply reply, final RequestFields fields, final AnswerSettings settings,
        final List<int[]> prompts, final String promptField, final boolean chat)
    {
        if (prompts.size() * settings.count() > MAX_ANSWERS)
        {
            throw fields.refused("n", "so few that all prompts together have at most " + MAX_ANSWERS + " answers");
        }
        final RequestFields streamOptions = fields.object("stream_options");
        final boolean stream = fields.flag("stream");
        if (!stream && fields.get("stream_options") != null)
        {
            throw fields.refused("stream_options", "it with stream=true only");
        }
        final String name = fields.text("model");
        final OpenAiAnswers.Form form = new OpenAiAnswers.Form((chat ? "chatcmpl-" : "cmpl-") + RequestIds.of(request),
            name == null ? model.names().get(0) : name, chat, stream, streamOptions.flag("include_usage"),
            streamOptions.flag("continuous_usage_stats"), fields.flag("return_token_ids"), settings.logprobs(),
            System.currentTimeMillis() / MILLIS);
        generations.start(
            prompts, settings, FieldNames.ofOpenAi(promptField), new OpenAiAnswers(form, reply, model.text()), reply);
    }

    /** The models. */
    void models(final HttpRequest request, final HttpReply reply)
    {
        reply.send(200, HttpReply.JSON, JsonBytes.of(json ->
        {
            json.writeStartObject();
            json.writeStringField("object", "list");
            json.writeArrayFieldStart("data");
            for (final String name : model.names())
            {
                json.writeStartObject();
                json.writeStringField("id", name);
                json.writeStringField("object", "model");
                json.writeNumberField("created", System.currentTimeMillis() / MILLIS);
                json.writeStringField("owned_by", "signalbox");
                json.writeStringField("root", name);
                json.writeNullField("parent");
                json.writeNumberField("max_model_len", model.contextTokens());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }));
    }
}
