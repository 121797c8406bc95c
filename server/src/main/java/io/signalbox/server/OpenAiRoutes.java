// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.server.http.HttpReply;
import io.signalbox.server.http.HttpRequest;
import io.signalbox.server.text.ChatMessage;

import java.util.ArrayList;
import java.util.List;

/** {@code /v1/completions} and {@code /v1/chat/completions}. */
final class OpenAiRoutes
{
    private static final int MAX_ANSWERS = 256;
    private static final int MAX_MESSAGES = 10_000;
    private static final int MILLIS = 1000;
    private static final String PROMPT = "prompt";
    private static final String MESSAGES = "messages";

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
        final AnswerSettings settings = checked(fields, false);
        start(request, reply, fields, settings, PromptFields.prompts(fields, PROMPT, model.text()), PROMPT,
            false);
    }

    void chat(final HttpRequest request, final HttpReply reply)
    {
        final RequestFields fields = RequestFields.parse(request.body());
        final AnswerSettings settings = checked(fields, true);
        final List<ChatMessage> messages = messages(fields);
        final int[] prompt = PromptFields.encoded(MESSAGES, () -> model.text().chat(messages));
        start(request, reply, fields, settings, List.of(prompt), MESSAGES, true);
    }

    private AnswerSettings checked(final RequestFields fields, final boolean chat)
    {
        model.require(fields.text("model"));
        UnsupportedFields.refuse(fields);
        final boolean hasRows = fields.flag("stream") ? config.hasRowsInStreams() : config.hasRoutedExperts();
        return AnswerSettings.ofOpenAi(fields, chat, hasRows ? RowFields.of(fields, RowEncoding.Form.NPY) : null);
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
        generations.start(prompts, settings, promptField, new OpenAiAnswers(form, reply, model.text()), reply);
    }

    static List<ChatMessage> messages(final RequestFields fields)
    {
        final List<RequestFields> given = fields.objects(MESSAGES);
        if (given == null || given.isEmpty() || given.size() > MAX_MESSAGES)
        {
            throw ApiError.badRequest(MESSAGES, "messages is absent, empty or too long; give 1 to " + MAX_MESSAGES +
                " messages, each with role and content");
        }
        final List<ChatMessage> messages = new ArrayList<>();
        for (final RequestFields message : given)
        {
            final Object calls = message.get("tool_calls");
            if (calls != null && !List.of().equals(calls))
            {
                throw ApiError.badRequest(message.nameOf("tool_calls"), "this server does not support tool calls; give " +
                    "the text of the message alone");
            }
            messages.add(new ChatMessage(role(message), content(message)));
        }
        return messages;
    }

    private static String role(final RequestFields message)
    {
        final String role = message.text("role");
        return switch (role == null ? "" : role)
        {
            case "system", "developer" -> "system";
            case "user", "assistant", "tool" -> role;
            default -> throw message.refused("role", "system, developer, user, assistant or tool");
        };
    }

    /** A string, or parts of type text. */
    private static String content(final RequestFields message)
    {
        final Object content = message.get("content");
        if (content == null || content instanceof String)
        {
            return content == null ? "" : (String)content;
        }
        final StringBuilder text = new StringBuilder();
        for (final RequestFields part : message.objects("content"))
        {
            if (!"text".equals(part.get("type")))
            {
                throw part.refused("type", "text, the only kind of part that this server supports");
            }
            text.append(part.text("text"));
        }
        return text.toString();
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
