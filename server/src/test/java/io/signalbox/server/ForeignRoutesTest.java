// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.Socket;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The routes of vLLM and SGLang. */
@Tag("threads")
class ForeignRoutesTest
{
    private static final String VLLM = "/inference/v1/generate";
    private static final String SGLANG = "/generate";
    private static RunningServer server;

    @BeforeAll
    static void start()
    {
        server = new RunningServer(1000, config -> config.withoutKeys(true));
    }

    @AfterAll
    static void stop()
    {
        server.close();
    }

    private static RequestFields ok(final HttpResponse<String> answer)
    {
        assertEquals(200, answer.statusCode(), answer.body());
        return RunningServer.parse(answer);
    }

    @Test
    void shouldTakeAndGiveTokensAsVllm() throws Exception
    {
        final RequestFields answer = ok(server.post(VLLM, "{'request_id': 'mine', 'token_ids': [1, 2, 3], " +
            "'sampling_params': {'max_tokens': 4, 'temperature': 0, 'logprobs': 0}, 'return_token_ids': true}"));
        final RequestFields choice = RunningServer.choice(answer, 0);
        final RequestFields same = ok(server.post("/v1/completions",
            "{'prompt': [1, 2, 3], 'max_tokens': 4, 'temperature': 0, 'return_token_ids': true}"));

        assertEquals("mine", answer.text("request_id"));
        assertArrayEquals(RunningServer.choice(same, 0).wholes("token_ids"), choice.wholes("token_ids"));
        assertArrayEquals(new int[] {1, 2, 3}, answer.wholes("prompt_token_ids"));
        assertEquals(4, choice.object("logprobs").objects("content").size());
        assertEquals("length", choice.text("finish_reason"));
        assertEquals(7L, answer.object("usage").get("total_tokens"));
        assertNull(choice.get("routed_experts"));
        assertEquals(400, server.post(VLLM, "{'token_ids': []}").statusCode());
        assertEquals(400, server.post(VLLM, "{'token_ids': [-1]}").statusCode());
    }

    @Test
    void shouldStreamAsVllm() throws Exception
    {
        final List<RequestFields> events = server.events(VLLM, "{'token_ids': [5], 'sampling_params': {'max_tokens': 6}, " +
            "'stream': true, 'stream_options': {'include_usage': true}}");
        final long tokens = events.stream().flatMap(event -> event.objects("choices").stream())
            .mapToLong(choice -> choice.wholes("token_ids").length).sum();
        assertEquals(6, tokens);
        assertEquals(6L, events.get(events.size() - 1).object("usage").get("completion_tokens"));
    }

    @Test
    void shouldTakeAndGiveWhatSglangDoes() throws Exception
    {
        final RequestFields answer = ok(server.post(SGLANG, "{'input_ids': [1, 2, 3], 'rid': 'r1', " +
            "'return_logprob': true, 'sampling_params': {'max_new_tokens': 4, 'temperature': 0, " +
            "'skip_special_tokens': true, 'no_stop_trim': false}}"));
        final RequestFields meta = answer.object("meta_info");

        assertEquals("r1", meta.text("id"));
        assertEquals("length", meta.object("finish_reason").text("type"));
        assertEquals(4L, meta.object("finish_reason").get("length"));
        assertEquals(3L, meta.get("prompt_tokens"));
        assertEquals(4L, meta.get("completion_tokens"));
        assertEquals("0", meta.text("weight_version"));
        assertEquals(4, answer.wholes("output_ids").length);
        assertEquals(4, ((List<?>)meta.get("output_token_logprobs")).size());
        assertEquals((long)answer.wholes("output_ids")[0],
            ((List<?>)((List<?>)meta.get("output_token_logprobs")).get(0)).get(1));
        assertTrue(server.post(SGLANG, "{'input_ids': [1], 'return_routed_experts': true}").body().contains("--enable"));
        final RequestFields stopped = ok(server.post(SGLANG, "{'input_ids': [1, 2, 3], 'sampling_params': " +
            "{'max_new_tokens': 4, 'temperature': 0, 'stop_token_ids': [" + answer.wholes("output_ids")[1] + "]}}"))
            .object("meta_info").object("finish_reason");
        assertEquals("stop", stopped.text("type"));
        assertEquals((long)answer.wholes("output_ids")[1], stopped.get("matched"));
    }

    @Test
    void shouldAnswerSeveralPromptsOfSglangWithAList() throws Exception
    {
        final HttpResponse<String> answer = server.post(
            SGLANG, "{'text': ['one', 'two'], 'sampling_params': {'max_new_tokens': 2}}");
        assertEquals(200, answer.statusCode());
        assertTrue(answer.body().startsWith("[{") && answer.body().split("\"meta_info\"").length == 3, answer.body());
    }

    @Test
    void shouldEncodeAndDecode() throws Exception
    {
        final RequestFields encoded = ok(server.post("/tokenize", "{'prompt': 'The end.', 'return_token_strs': true}"));
        final int[] tokens = encoded.wholes("tokens");
        final RequestFields decoded = ok(server.post("/detokenize", "{'tokens': " + Arrays.toString(tokens) + "}"));
        assertEquals("The end.", decoded.text("prompt"));
        assertEquals("The end.", String.join("", encoded.texts("token_strs")));
        assertEquals((long)tokens.length, encoded.get("count"));
    }

    /** Slime asks for text with special tokens and stop strings; SGLang's defaults leave both out. */
    @Test
    void shouldShowSpecialTokensAndStopsOnRequest() throws Exception
    {
        final String special = "{'tokens': [256, 257], 'model': null}";
        assertEquals("<|end|><|system|>", ok(server.post("/detokenize", special)).text("prompt"));
        final String request = "{'input_ids': [1, 2, 3], 'sampling_params': {'max_new_tokens': 20, 'temperature': 0";
        final String text = ok(server.post(SGLANG, request + "}}")).text("text");
        final String stop = text.substring(20, 25);
        assertEquals(text.substring(0, 20), ok(server.post(SGLANG, request + ", 'stop': '" + stop + "'}}")).text("text"));
        assertEquals(text.substring(0, 25), ok(server.post(SGLANG, request + ", 'stop': ['" + stop +
            "'], 'no_stop_trim': true, 'skip_special_tokens': false, 'spaces_between_special_tokens': false}}"))
            .text("text"));
        final String completion = "{'prompt': [1, 2, 3], 'max_tokens': 20, 'temperature': 0, 'stop': '" + stop +
            "', 'include_stop_str_in_output': true}";
        assertEquals(text.substring(0, 25),
            RunningServer.choice(ok(server.post("/v1/completions", completion)), 0).text("text"));
    }

    @Test
    void shouldNameAFieldThatItDoesNotSupport() throws Exception
    {
        for (final String field : List.of("'regex': 'a'", "'stop_regex': ['a']", "'min_p': 0.1"))
        {
            final HttpResponse<String> answer =
                server.post(SGLANG, "{'input_ids': [1], 'sampling_params': {" + field + "}}");
            assertEquals(400, answer.statusCode(), field);
            assertEquals("sampling_params." + field.split("'")[1],
                RunningServer.parse(answer).object("error").text("param"));
        }
        for (final String field : List.of("'lora_path': 'a'", "'logprob_start_len': 0", "'top_logprobs_num': 2"))
        {
            assertEquals(400, server.post(SGLANG, "{'input_ids': [1], " + field + "}").statusCode(), field);
        }
        ok(server.post(SGLANG, "{'input_ids': [1], 'logprob_start_len': -1, 'top_logprobs_num': 0, 'image_data': null, " +
            "'sampling_params': {'max_new_tokens': 1, 'repetition_penalty': 1.0, 'custom_params': null}}"));
    }

    /** Each route has its own names for what does not fit. */
    @Test
    void shouldNameTheFieldOfItsRoute() throws Exception
    {
        try (RunningServer rows = new RunningServer(1000, config -> config.routedExperts(true, false)))
        {
            final int context = RunningServer.CONTEXT_TOKENS;
            final String sglang = "{'input_ids': [1], 'return_routed_experts': true, ";
            assertEquals("sampling_params.max_new_tokens",
                param(rows, SGLANG, sglang + "'sampling_params': {'max_new_tokens': " + context + "}}"));
            assertEquals("routed_experts_start_len", param(rows, SGLANG, sglang + "'routed_experts_start_len': 2}"));
            final String vllm = "{'token_ids': [1], 'sampling_params': ";
            assertEquals("sampling_params.max_tokens", param(rows, VLLM, vllm + "{'max_tokens': " + context + "}}"));
            assertEquals("sampling_params.routed_experts_prompt_start",
                param(rows, VLLM, vllm + "{'routed_experts_prompt_start': 2}}"));
            final String openAi = "{'prompt': [1], ";
            assertEquals("max_tokens", param(rows, "/v1/completions", openAi + "'max_tokens': " + context + "}"));
            assertEquals("routed_experts_prompt_start",
                param(rows, "/v1/completions", openAi + "'routed_experts_prompt_start': 2}"));
        }
    }

    private static String param(final RunningServer asked, final String path, final String json) throws Exception
    {
        final HttpResponse<String> answer = asked.post(path, json);
        assertEquals(400, answer.statusCode(), answer.body());
        final RequestFields error = RunningServer.parse(answer).object("error");
        final String name = error.text("param").substring(error.text("param").lastIndexOf('.') + 1);
        assertTrue(error.text("message").contains(name), answer.body());
        return error.text("param");
    }

    @Test
    void shouldSendARequestToTheRankThatItNames() throws Exception
    {
        assertEquals(400, rank("2").statusCode());
        assertEquals(400, rank("-1").statusCode());
        final long before = server.engine().stats().placements().onHint();
        ok(rank("1"));
        ok(server.post(SGLANG, "{'input_ids': [1], 'routed_dp_rank': 0, 'sampling_params': {'max_new_tokens': 1}}"));
        assertEquals(before + 2, server.engine().stats().placements().onHint());
    }

    private static HttpResponse<String> rank(final String rank) throws Exception
    {
        return server.post("/v1/completions", "{'prompt': 'x', 'max_tokens': 1}", "X-data-parallel-rank", rank,
            "X-Correlation-ID", "c-" + rank);
    }

    @Test
    void shouldTakeAConversationFromItsHeader() throws Exception
    {
        assertEquals("c-1", rank("1").headers().firstValue("X-Correlation-ID").orElse(""));
        final String prompt = "{'prompt': 'x', 'max_tokens': 1}";
        assertEquals(400, server.post("/v1/completions", prompt, "X-Session-ID", "two words").statusCode());
        for (final String header : List.of("X-Session-ID", "X-SMG-Routing-Key", "X-Dynamo-Session-ID"))
        {
            ok(server.post("/v1/completions", prompt, header, "conversation-7"));
        }
    }

    /** What slime asks an external engine for, and what it compares. */
    @Test
    void shouldAnswerWhatATrainerAsks() throws Exception
    {
        final RequestFields info = ok(server.get("/server_info"));
        assertEquals(1L, info.get("tp_size"));
        assertEquals(false, info.get("enable_return_routed_experts"));
        assertEquals(info.get("dp_size"), ok(server.get("/get_server_info")).get("dp_size"));
        assertEquals(0L, ok(server.get("/v1/loads?include=core")).get("num_reqs"));
        assertEquals("0", ok(server.get("/get_weight_version")).text("weight_version"));
        assertEquals(200, server.get("/health_generate").statusCode());
    }

    /** The names that load generators and dashboards read. */
    @Test
    void shouldShowItsFiguresToPrometheus() throws Exception
    {
        server.post("/v1/completions", "{'prompt': 'figures', 'max_tokens': 3}");
        final HttpResponse<String> page = server.get("/metrics");
        assertEquals("text/plain; version=0.0.4; charset=utf-8", page.headers().firstValue("Content-Type").orElse(""));
        for (final String name : List.of("vllm:num_requests_running", "vllm:num_requests_waiting",
            "vllm:kv_cache_usage_perc", "vllm:prompt_tokens_total", "vllm:generation_tokens_total",
            "vllm:request_success_total", "vllm:num_preemptions_total", "vllm:prefix_cache_hits_total",
            "vllm:prefix_cache_queries_total", "vllm:time_to_first_token_seconds_bucket",
            "vllm:inter_token_latency_seconds_bucket", "vllm:e2e_request_latency_seconds_bucket",
            "vllm:request_queue_time_seconds_bucket", "signalbox_engine_running"))
        {
            assertTrue(page.body().contains("\n" + name + "{"), name);
        }
        assertTrue(page.body().lines().noneMatch(line -> line.startsWith("vllm:generation_tokens_total") &&
            line.endsWith(" 0.0")), "tokens are counted");
    }

    @Test
    void shouldForgetItsCache() throws Exception
    {
        final String prompt = "{'prompt': [" + "9,".repeat(40) + "8], 'max_tokens': 1}";
        server.post("/v1/completions", prompt);
        assertEquals(32L, cached(prompt));
        assertEquals(200, server.get("/flush_cache").statusCode());
        assertEquals(0L, cached(prompt));
    }

    private static Object cached(final String prompt) throws Exception
    {
        return ok(server.post("/v1/completions", prompt)).object("usage").object("prompt_tokens_details")
            .get("cached_tokens");
    }

    @Test
    void shouldAbortAndPause() throws Exception
    {
        try (RunningServer slow = new RunningServer(1, config -> config.withoutKeys(true));
            Socket socket = RawClient.open(slow.uri("/")))
        {
            RawClient.send(socket, RawClient.post(SGLANG, "{'input_ids': [1], 'rid': 'this', 'sampling_params': " +
                "{'max_new_tokens': 4000}}", "Connection: close\r\n"));
            slow.await(() -> slow.engine().stats().requests().running() > 0);
            assertEquals(400, slow.post("/abort_request", "{}").statusCode());
            assertEquals(200, slow.post("/abort_request", "{'rid': 'another'}").statusCode());
            assertEquals(1, slow.engine().stats().requests().running());
            assertEquals(200, slow.post("/abort_request", "{'rid': 'this'}").statusCode());
            final String answer = RawClient.rest(socket);
            assertTrue(answer.contains("\"type\":\"abort\"") && answer.contains("\"message\":\"Abort "), answer);
            for (final String mode : List.of("in_place", "retract", "other"))
            {
                final HttpResponse<String> refused = slow.post("/pause_generation", "{'mode': '" + mode + "'}");
                assertEquals(400, refused.statusCode(), mode);
                assertEquals("mode", RunningServer.parse(refused).object("error").text("param"));
                assertEquals(200, slow.get("/health/ready").statusCode(), "nothing is paused");
            }
            assertEquals(400, slow.get("/pause_generation?mode=in_place").statusCode());
            assertEquals(200, slow.post("/pause_generation", "{'mode': 'abort'}").statusCode());
            assertEquals(200, slow.post("/pause_generation", "{}").statusCode());
            assertEquals(200, slow.post("/pause_generation", "").statusCode());
            assertEquals(503, slow.post(SGLANG, "{'input_ids': [1]}").statusCode());
            assertEquals(200, slow.get("/health").statusCode());
            assertEquals(503, slow.get("/health/ready").statusCode());
            assertEquals(200, slow.post("/continue_generation", "{}").statusCode());
            assertEquals(200, slow.get("/health/ready").statusCode());
            ok(slow.post(SGLANG, "{'input_ids': [1], 'sampling_params': {'max_new_tokens': 1}}"));
        }
    }

    @Test
    void shouldKeepRoutesThatConcernOthersForAdmins() throws Exception
    {
        try (RunningServer closed = new RunningServer(1000, config -> config))
        {
            for (final String path : List.of("/flush_cache", "/pause_generation", "/continue_generation", "/abort_request",
                "/reset_prefix_cache"))
            {
                assertEquals(403, closed.post(path, "{'abort_all': true}").statusCode(), path);
            }
        }
    }

    @Test
    void shouldNotStopBeforeTheLeastLength() throws Exception
    {
        final String request = "{'prompt': [4, 4], 'max_tokens': 12, 'temperature': 0, 'return_token_ids': true";
        final int[] tokens = RunningServer.choice(ok(server.post("/v1/completions", request + "}")), 0).wholes("token_ids");
        final RequestFields choice = RunningServer.choice(ok(server.post("/v1/completions", request + ", 'min_tokens': 6, " +
            "'stop_token_ids': [" + tokens[2] + ", " + tokens[8] + "]}")), 0);
        assertTrue(choice.wholes("token_ids").length > 6, choice.wholes("token_ids").length + " tokens");
        assertTrue(Arrays.stream(choice.wholes("token_ids")).limit(6).noneMatch(token -> token == tokens[2]));
    }
}
