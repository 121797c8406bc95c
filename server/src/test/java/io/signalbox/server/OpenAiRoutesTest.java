// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What clients of OpenAI's API send, and what they read. */
@Tag("threads")
class OpenAiRoutesTest
{
    private static final String COMPLETIONS = "/v1/completions";
    private static final String CHAT = "/v1/chat/completions";
    private static RunningServer server;

    @BeforeAll
    static void start()
    {
        server = new RunningServer(1000, config -> config);
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

    private static RequestFields refused(final int status, final HttpResponse<String> answer)
    {
        assertEquals(status, answer.statusCode(), answer.body());
        return RunningServer.parse(answer).object("error");
    }

    @Test
    void shouldCompleteAPrompt() throws Exception
    {
        final RequestFields answer = ok(server.post(COMPLETIONS,
            "{'model': 'alias', 'prompt': 'Once upon a time', 'max_tokens': 5, 'temperature': 0}"));
        final RequestFields choice = RunningServer.choice(answer, 0);

        assertEquals("text_completion", answer.text("object"));
        assertEquals("alias", answer.text("model"));
        assertTrue(answer.text("id").startsWith("cmpl-"));
        assertTrue(choice.text("text").matches("( [a-z]{4}){5}"), choice.text("text"));
        assertEquals("length", choice.text("finish_reason"));
        assertEquals(5L, answer.object("usage").get("completion_tokens"));
    }

    @Test
    void shouldStreamWhatItAnswersAtOnce() throws Exception
    {
        final String request = "{'prompt': 'the same', 'max_tokens': 20, 'temperature': 0, 'return_token_ids': true";
        final RequestFields whole = ok(server.post(COMPLETIONS, request + "}"));
        final List<RequestFields> events = server.events(
            COMPLETIONS, request + ", 'stream': true, 'stream_options': {'include_usage': true}}");
        final StringBuilder text = new StringBuilder();
        final List<Integer> tokens = new ArrayList<>();
        for (final RequestFields event : events.subList(0, events.size() - 1))
        {
            text.append(RunningServer.choice(event, 0).text("text"));
            for (final int token : RunningServer.choice(event, 0).wholes("token_ids"))
            {
                tokens.add(token);
            }
        }
        final RequestFields last = events.get(events.size() - 1);

        assertEquals(RunningServer.choice(whole, 0).text("text"), text.toString());
        assertArrayEquals(RunningServer.choice(whole, 0).wholes("token_ids"),
            tokens.stream().mapToInt(Integer::intValue).toArray());
        assertEquals(List.of(), last.get("choices"));
        assertEquals(whole.object("usage").get("total_tokens"), last.object("usage").get("total_tokens"));
        assertEquals("length", RunningServer.choice(events.get(events.size() - 2), 0).text("finish_reason"));
    }

    @Test
    void shouldCountTokensOfEarlierRequestsAsCached() throws Exception
    {
        final String prompt = "'prompt': [" + "7,".repeat(99) + "8], 'max_tokens': 1";
        final RequestFields first = ok(server.post(COMPLETIONS, "{" + prompt + "}"));
        final RequestFields second = ok(server.post(COMPLETIONS, "{" + prompt + "}"));
        final RequestFields salted = ok(server.post(COMPLETIONS, "{" + prompt + ", 'cache_salt': 'mine'}"));

        assertEquals(100L, first.object("usage").get("prompt_tokens"));
        assertEquals(0L, first.object("usage").object("prompt_tokens_details").get("cached_tokens"));
        assertEquals(96L, second.object("usage").object("prompt_tokens_details").get("cached_tokens"));
        assertEquals(0L, salted.object("usage").object("prompt_tokens_details").get("cached_tokens"));
    }

    @Test
    void shouldGoOnWithAConversation() throws Exception
    {
        final String question = "{'role': 'user', 'content': [{'type': 'text', 'text': 'Tell me of the sea, please.'}]}";
        final RequestFields first = ok(server.post(CHAT, "{'messages': [" + question + "], 'max_completion_tokens': 40}"));
        final String said = RunningServer.choice(first, 0).object("message").text("content");
        final RequestFields second = ok(server.post(CHAT, "{'messages': [" + question +
            ", {'role': 'assistant', 'content': '" + said + "'}, {'role': 'user', 'content': 'More'}], 'max_tokens': 3}"));
        final long known = (Long)first.object("usage").get("total_tokens");
        final long cached = (Long)second.object("usage").object("prompt_tokens_details").get("cached_tokens");

        assertEquals("chat.completion", first.text("object"));
        assertEquals("assistant", RunningServer.choice(first, 0).object("message").text("role"));
        // The tokens of the answer come back in the next prompt; the last one was never computed.
        assertEquals((known - 1) / 16 * 16, cached);
    }

    @Test
    void shouldStreamAChat() throws Exception
    {
        final List<RequestFields> events = server.events(CHAT, "{'messages': [{'role': 'user', 'content': 'Hello'}], " +
            "'max_tokens': 4, 'stream': true, 'stream_options': {'continuous_usage_stats': true}}");

        assertEquals("assistant", RunningServer.choice(events.get(0), 0).object("delta").text("role"));
        assertEquals("chat.completion.chunk", events.get(0).text("object"));
        assertNull(RunningServer.choice(events.get(1), 0).object("delta").text("role"));
        assertEquals(4L, events.get(events.size() - 1).object("usage").get("completion_tokens"));
    }

    @Test
    void shouldGiveSeveralAnswersToSeveralPrompts() throws Exception
    {
        final RequestFields answer = ok(server.post(
            COMPLETIONS, "{'prompt': ['one', [1, 2, 3]], 'n': 3, 'seed': 5, 'max_tokens': 8}"));
        final RequestFields again = ok(server.post(
            COMPLETIONS, "{'prompt': ['one', [1, 2, 3]], 'n': 3, 'seed': 5, 'max_tokens': 8}"));

        assertEquals(6, answer.objects("choices").size());
        assertEquals(1L + 3, answer.object("usage").get("prompt_tokens"));
        assertEquals(48L, answer.object("usage").get("completion_tokens"));
        assertNotEquals(RunningServer.choice(answer, 0).text("text"), RunningServer.choice(answer, 1).text("text"));
        for (int i = 0; i < 6; i++)
        {
            assertEquals((long)i, RunningServer.choice(answer, i).get("index"));
            assertEquals(RunningServer.choice(answer, i).text("text"), RunningServer.choice(again, i).text("text"));
        }
    }

    /** -2 and the next sample's -1 are seeds; -1 in the field of vLLM is none, so the id of the request is the seed. */
    @Test
    void shouldTakeEveryNumberAsASeedButMinusOneAsNone() throws Exception
    {
        final String negative = "{'prompt': [1, 2, 3], 'n': 2, 'seed': -2, 'max_tokens': 8}";
        final RequestFields answer = ok(server.post(COMPLETIONS, negative));
        final RequestFields again = ok(server.post(COMPLETIONS, negative));
        final String none = "{'prompt': [1, 2, 3], 'seed': -1, 'max_tokens': 8}";
        final String text = RunningServer.choice(ok(server.post(COMPLETIONS, none)), 0).text("text");

        for (int i = 0; i < 2; i++)
        {
            assertEquals(RunningServer.choice(answer, i).text("text"), RunningServer.choice(again, i).text("text"));
        }
        assertNotEquals(text, RunningServer.choice(ok(server.post(COMPLETIONS, none)), 0).text("text"));
    }

    @Test
    void shouldEndAtAStopString() throws Exception
    {
        final String request = "{'prompt': 'stop', 'max_tokens': 40, 'temperature': 0";
        final String text = RunningServer.choice(ok(server.post(COMPLETIONS, request + "}")), 0).text("text");
        final String stop = text.substring(48, 53);
        final RequestFields answer = ok(server.post(COMPLETIONS, request + ", 'stop': ['never there', '" + stop + "']}"));
        final RequestFields choice = RunningServer.choice(answer, 0);

        assertEquals(text.substring(0, text.indexOf(stop)), choice.text("text"));
        assertEquals("stop", choice.text("finish_reason"));
        assertEquals(stop, choice.text("stop_reason"));
        assertEquals((text.indexOf(stop) + stop.length() + 4L) / 5, answer.object("usage").get("completion_tokens"));
    }

    @Test
    void shouldEndAtAStopToken() throws Exception
    {
        final String request = "{'prompt': 'token', 'max_tokens': 20, 'temperature': 0, 'return_token_ids': true";
        final int[] tokens = RunningServer.choice(ok(server.post(COMPLETIONS, request + "}")), 0).wholes("token_ids");
        final RequestFields choice = RunningServer.choice(
            ok(server.post(COMPLETIONS, request + ", 'stop_token_ids': [" + tokens[7] + "]}")), 0);

        assertEquals(8, choice.wholes("token_ids").length);
        assertEquals("stop", choice.text("finish_reason"));
        assertEquals((long)tokens[7], choice.get("stop_reason"));
        assertEquals(7 * 5, choice.text("text").length(), "the text of a stop token is not shown");
    }

    @Test
    void shouldReportLogprobs() throws Exception
    {
        final RequestFields completion = RunningServer.choice(
            ok(server.post(COMPLETIONS, "{'prompt': 'p', 'max_tokens': 3, 'logprobs': 0}")), 0).object("logprobs");
        final RequestFields chat = RunningServer.choice(ok(server.post(CHAT,
            "{'messages': [{'role': 'user', 'content': 'p'}], 'max_tokens': 3, 'logprobs': true}")), 0).object("logprobs");

        assertEquals(3, ((List<?>)completion.get("token_logprobs")).size());
        assertEquals(3, completion.texts("tokens").size());
        assertEquals(3, chat.objects("content").size());
        assertTrue((Double)chat.objects("content").get(0).get("logprob") <= 0);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "{'prompt': 'a', 'echo': true} | echo",
        "{'prompt': 'a', 'logit_bias': {'5': 1}} | logit_bias",
        "{'prompt': 'a', 'frequency_penalty': 0.5} | frequency_penalty",
        "{'prompt': 'a', 'best_of': 3} | best_of",
        "{'prompt': 'a', 'logprobs': 5} | logprobs",
        "{'prompt': 'a', 'n': 0} | n",
        "{'prompt': 'a', 'n': 1000000} | n",
        "{'prompt': 'a', 'max_tokens': -1} | max_tokens",
        "{'prompt': 'a', 'max_tokens': 'five'} | max_tokens",
        "{'prompt': 'a', 'temperature': -1} | temperature",
        "{'prompt': 'a', 'top_p': 0} | top_p",
        "{'prompt': 'a', 'stop': ['']} | stop",
        "{'prompt': 'a', 'stop_token_ids': [-1]} | stop_token_ids",
        "{'prompt': 'a', 'cache_salt': ''} | cache_salt",
        "{'prompt': 'a', 'stream': 1} | stream",
        "{'prompt': 'a', 'stream_options': {}} | stream_options",
        "{'prompt': [[1], 'b', 3]} | prompt",
        "{'prompt': [300000]} | prompt",
        "{'prompt': ''} | prompt",
        "{'prompt': []} | prompt",
        "{'prompt': {}} | prompt",
        "{} | prompt"})
    void shouldNameTheFieldThatItRefuses(final String body, final String field) throws Exception
    {
        final RequestFields error = refused(400, server.post(COMPLETIONS, body));
        assertEquals(field, error.text("param"), error.text("message"));
        assertEquals("invalid_request_error", error.text("type"));
        assertTrue(error.text("message").contains(field), error.text("message"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "{'messages': []} | messages",
        "{'messages': 'hello'} | messages",
        "{'messages': [{'role': 'wizard', 'content': 'a'}]} | messages[0].role",
        "{'messages': [{'role': 'user', 'content': [{'type': 'image_url'}]}]} | messages[0].content[0].type",
        "{'messages': [{'role': 'user', 'content': 'a'}], 'tools': [{'type': 'function'}]} | tools[0].function.name",
        "{'messages': [{'role': 'user', 'content': 'a'}], 'response_format': {'type': 'json_object'}} | response_format",
        "{'messages': [{'role': 'user', 'content': 'a'}], 'top_logprobs': 3} | top_logprobs"})
    void shouldNameTheFieldOfAChatThatItRefuses(final String body, final String field) throws Exception
    {
        assertEquals(field, refused(400, server.post(CHAT, body)).text("param"));
    }

    /** Clients send them. */
    @Test
    void shouldIgnoreValuesThatChangeNothing() throws Exception
    {
        ok(server.post(COMPLETIONS, "{'prompt': 'a', 'max_tokens': 1, 'echo': false, 'suffix': null, 'logit_bias': {}, " +
            "'frequency_penalty': 0, 'presence_penalty': 0.0, 'best_of': 1, 'stop': null, 'repetition_penalty': 1.0, " +
            "'min_p': 0, 'use_beam_search': false, 'skip_special_tokens': true, 'user': 'me', 'a_field_of_nobody': 7}"));
        ok(server.post(CHAT, "{'messages': [{'role': 'developer', 'content': 'a', 'tool_calls': []}], 'max_tokens': 1, " +
            "'tools': [], 'tool_choice': 'none', 'response_format': {'type': 'text'}, 'modalities': ['text']}"));
    }

    @Test
    void shouldRefuseAPromptBeyondTheContextInTheWordsOfVllm() throws Exception
    {
        final RequestFields tooLong = refused(400, server.post(COMPLETIONS, "{'prompt': [" + "1,".repeat(4999) + "1]}"));
        final RequestFields tooMany = refused(400, server.post(COMPLETIONS, "{'prompt': [1, 2], 'max_tokens': 4095}"));

        assertTrue(tooLong.text("message").contains(
            "maximum context length is 4096 tokens. However, your request has 5000 input tokens"));
        assertTrue(tooMany.text("message").contains("is too large: 4095"));
        ok(server.post(COMPLETIONS, "{'prompt': [1, 2], 'max_tokens': 4094}"));
    }

    @Test
    void shouldRefuseAnotherModel() throws Exception
    {
        final RequestFields error = refused(404, server.post(COMPLETIONS, "{'prompt': 'a', 'model': 'gpt-9'}"));
        assertEquals("model_not_found", error.text("code"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"'' ", "[1]", "{'prompt': 'a'} x", "{'prompt': ", "{'a': 1, 'a': 2}", "nul"})
    void shouldRefuseWhatIsNoJsonObject(final String body) throws Exception
    {
        assertEquals("invalid_request_error", refused(400, server.post(COMPLETIONS, body)).text("type"));
    }

    @Test
    void shouldListItsModels() throws Exception
    {
        final RequestFields models = ok(server.get("/v1/models"));
        assertEquals("model", models.objects("data").get(0).text("id"));
        assertEquals((long)RunningServer.CONTEXT_TOKENS, models.objects("data").get(0).get("max_model_len"));
        assertEquals(SignalboxServer.VERSION, ok(server.get("/version")).text("version"));
        assertEquals(200, server.get("/health").statusCode());
        refused(404, server.get("/v1/nothing"));
        refused(405, server.get(COMPLETIONS));
    }

    @Test
    void shouldGiveTheIdOfTheRequestBack() throws Exception
    {
        final HttpResponse<String> answer = server.post(COMPLETIONS, "{'prompt': 'a', 'max_tokens': 1, 'n': 2}");
        assertTrue(answer.headers().firstValue("x-signalbox-request-id").orElse("").matches("\\d+,\\d+"));
        assertFalse(answer.headers().map().containsKey("server"));
    }
}
