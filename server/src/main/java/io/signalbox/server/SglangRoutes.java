// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.printing.Json;
import io.signalbox.server.http.HttpReply;
import io.signalbox.server.http.HttpRequest;
import io.signalbox.stats.EngineStats;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** {@code /generate} of SGLang, and the routes with which trainers operate it. */
final class SglangRoutes
{
    private static final int OK = 200;
    private static final double NANOS = 1e9;

    private final SignalboxEngine engine;
    private final ServerConfig config;
    private final ServedModel model;
    private final Generations generations;
    private final WeightRoutes weights;

    SglangRoutes(
        final SignalboxEngine engine, final ServerConfig config, final Generations generations, final WeightRoutes weights)
    {
        this.weights = weights;
        this.engine = engine;
        this.config = config;
        model = config.model();
        this.generations = generations;
    }

    void generate(final HttpRequest request, final HttpReply reply)
    {
        final RequestFields fields = RequestFields.parse(request.body());
        final RequestFields sampling = fields.object("sampling_params");
        UnsupportedFields.OF_SGLANG.refuse(fields);
        UnsupportedFields.OF_SGLANG.refuse(sampling);
        final String name = fields.get("input_ids") == null ? "text" : "input_ids";
        final List<int[]> prompts = PromptFields.prompts(fields, name, model.text());
        final boolean isOne = fields.get(name) instanceof int[] || fields.get(name) instanceof String;
        final boolean wantsRows = fields.flag("return_routed_experts");
        if (wantsRows && !config.hasRoutedExperts())
        {
            throw ApiError.badRequest("return_routed_experts",
                "this server does not return routed experts; start it with --enable-return-routed-experts");
        }
        final AnswerSettings settings = AnswerSettings.ofSglang(sampling, fields,
            wantsRows ? RowFields.ofSglang(fields) : null,
            RequestSource.of(request, generations.ranks()).onRank(fields, "data_parallel_rank", generations.ranks())
                .onRank(fields, "routed_dp_rank", generations.ranks()).named(fields, "rid"));
        final String id = RequestIds.of(fields, "rid", request);
        generations.start(prompts, settings, FieldNames.ofSglang(name), new Answers(
            reply, id, fields.flag("stream"), isOne && settings.count() == 1,
            fields.flag("return_text_in_logprobs"), settings), reply, id);
    }

    /** Writes the answers of the route. */
    private final class Answers implements AnswerWriter
    {
        private final HttpReply reply;
        private final AnswerEvents events;
        private final String id;
        private final boolean stream;
        private final boolean isOne;
        private final boolean tokenTexts;
        private final AnswerSettings settings;
        private final long startNanos = System.nanoTime();

        private Answers(
            final HttpReply reply, final String id, final boolean stream, final boolean isOne,
            final boolean tokenTexts, final AnswerSettings settings)
        {
            this.reply = reply;
            events = new AnswerEvents(reply);
            this.id = id;
            this.stream = stream;
            this.isOne = isOne;
            this.tokenTexts = tokenTexts;
            this.settings = settings;
        }

        /** Each event has the whole text so far, as SGLang's have. */
        @Override
        public void tokens(final ServedAnswer answer, final String text)
        {
            if (stream)
            {
                events.send(json -> document(json, answer));
            }
        }

        @Override
        public void ended(final ServedAnswer answer, final String rest)
        {
            tokens(answer, rest);
        }

        private void document(final JsonGenerator json, final ServedAnswer answer) throws IOException
        {
            final int[] ids = Arrays.copyOf(answer.handle().tokens(), answer.tokens());
            json.writeStartObject();
            if (!isOne)
            {
                json.writeNumberField("index", answer.index());
            }
            json.writeStringField("text", answer.text());
            json.writeFieldName("output_ids");
            json.writeArray(ids, 0, ids.length);
            json.writeObjectFieldStart("meta_info");
            json.writeStringField("id", isOne ? id : id + "-" + answer.index());
            finishReason(json, answer);
            json.writeNumberField("prompt_tokens", answer.prompt().length);
            json.writeNumberField("completion_tokens", answer.tokens());
            json.writeNumberField("cached_tokens", answer.handle().cachedTokens());
            json.writeStringField("weight_version", weights.version());
            if (settings.logprobs())
            {
                logprobs(json, answer);
            }
            if (answer.wantsRows() && answer.finishReason() != null)
            {
                RowFields.write(json, answer);
                json.writeNumberField("routed_experts_start_len", answer.rowsFrom());
            }
            json.writeNumberField("e2e_latency", (System.nanoTime() - startNanos) / NANOS);
            json.writeEndObject();
            json.writeEndObject();
        }

        private void finishReason(final JsonGenerator json, final ServedAnswer answer) throws IOException
        {
            if (answer.finishReason() == null)
            {
                json.writeNullField("finish_reason");
                return;
            }
            json.writeObjectFieldStart("finish_reason");
            json.writeStringField("type", answer.finishReason());
            switch (answer.finishReason())
            {
                case "stop" ->
                {
                    final Object matched = answer.stopReason(new int[0]);
                    if (matched instanceof Integer)
                    {
                        json.writeNumberField("matched", (Integer)matched);
                    }
                    else
                    {
                        json.writeStringField("matched", (String)matched);
                    }
                }
                case "length" -> json.writeNumberField("length", answer.tokens());
                default -> json.writeStringField("message",
                    answer.tokens() == 0 ? "Abort before prefill" : "Abort in decoding");
            }
            json.writeEndObject();
        }

        private void logprobs(final JsonGenerator json, final ServedAnswer answer) throws IOException
        {
            json.writeArrayFieldStart("output_token_logprobs");
            for (int i = 0; i < answer.tokens(); i++)
            {
                json.writeStartArray();
                json.writeNumber(OpenAiLogprobs.logprob(answer, i));
                json.writeNumber(answer.handle().token(i));
                json.writeString(
                    tokenTexts ? model.text().decodeWhole(new int[] {answer.handle().token(i)}) : null);
                json.writeEndArray();
            }
            json.writeEndArray();
        }

        @Override
        public void allEnded(final List<ServedAnswer> answers)
        {
            if (stream)
            {
                events.end();
                return;
            }
            reply.send(OK, HttpReply.JSON, JsonBytes.of(json ->
            {
                if (isOne)
                {
                    document(json, answers.get(0));
                    return;
                }
                json.writeStartArray();
                for (final ServedAnswer answer : answers)
                {
                    document(json, answer);
                }
                json.writeEndArray();
            }));
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

    private static void send(final HttpReply reply, final Json.Body fields)
    {
        reply.send(OK, HttpReply.JSON, JsonBytes.of(json ->
        {
            json.writeStartObject();
            fields.write(json);
            json.writeEndObject();
        }));
    }

    private static void text(final HttpReply reply, final String text)
    {
        reply.send(OK, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }

    /** What an external trainer compares before it uses a server; no key and no path is in it. */
    void serverInfo(final HttpRequest request, final HttpReply reply)
    {
        final EngineStats stats = engine.stats();
        send(reply, json ->
        {
            json.writeStringField("version", SignalboxServer.VERSION);
            json.writeStringField("served_model_name", model.names().get(0));
            for (final String size : List.of("tp_size", "pp_size", "ep_size", "moe_dp_size", "num_gpus"))
            {
                json.writeNumberField(size, 1);
            }
            json.writeNumberField("dp_size", stats.ranks().size());
            json.writeStringField("disaggregation_mode", "null");
            json.writeBooleanField("enable_memory_saver", false);
            json.writeBooleanField("enable_return_routed_experts", config.hasRoutedExperts());
            json.writeStringField("dtype", "auto");
            json.writeNumberField("context_length", model.contextTokens());
        });
    }

    void loads(final HttpRequest request, final HttpReply reply)
    {
        final EngineStats stats = engine.stats();
        send(reply, json ->
        {
            json.writeNumberField("num_reqs", stats.requests().running() + stats.requests().waiting());
            json.writeNumberField("num_waiting_reqs", stats.requests().waiting());
            json.writeArrayFieldStart("loads");
            for (int rank = 0; rank < stats.ranks().size(); rank++)
            {
                json.writeStartObject();
                json.writeNumberField("dp_rank", rank);
                json.writeNumberField("num_reqs", stats.ranks().get(rank).running());
                json.writeNumberField("kv_usage", stats.ranks().get(rank).kvUsage());
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    void flushCache(final HttpRequest request, final HttpReply reply)
    {
        if (!engine.resetCache())
        {
            throw ApiError.of(ApiError.TOO_MANY, "the engine has no room for the reset of its cache; ask again");
        }
        text(reply, "Cache flushed.\n");
    }

    /** Ends one request, or all. */
    void abort(final HttpRequest request, final HttpReply reply)
    {
        final RequestFields fields = RequestFields.parse(request.body());
        final String id = fields.text("rid");
        final boolean all = fields.flag("abort_all");
        if (!all && (id == null || id.isEmpty()))
        {
            throw ApiError.badRequest("rid", "neither rid nor abort_all is given; give one of them");
        }
        generations.abort(all ? null : id);
        reply.send(OK, HttpReply.JSON, JsonBytes.of(json ->
        {
            json.writeStartObject();
            json.writeEndObject();
        }));
    }

    /** Ends all requests, and refuses others until {@link #proceed}. SGLang can also keep requests during a pause. */
    void pause(final HttpRequest request, final HttpReply reply)
    {
        final String mode = "mode";
        final RequestFields fields =
            request.body().length == 0 ? RequestFields.ofQuery(request.query()) : RequestFields.parse(request.body());
        final String text = fields.text(mode);
        if (text != null && !text.equals("abort"))
        {
            throw fields.refused(mode, "abort, or leave it out: this server ends all requests when it pauses and keeps " +
                "none for later");
        }
        generations.pause(true);
        generations.abort(null);
        send(reply, json -> json.writeStringField("status", "ok"));
    }

    void proceed(final HttpRequest request, final HttpReply reply)
    {
        generations.pause(false);
        send(reply, json -> json.writeStringField("status", "ok"));
    }
}
