// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.text;

import io.signalbox.ConfigException;
import io.signalbox.serving.TextTokenizer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The text of checkpoints, with a tokenizer of one token for each character. */
class CheckpointTextTest
{
    private static final Conversation HELLO = Conversation.of(
        List.of(new ChatMessage("system", "Be brief."), new ChatMessage("user", "Hello")));

    @TempDir
    Path directory;

    /** A tokenizer that puts a token before every text, unless the text has its own. */
    private static final class Characters implements TextTokenizer
    {
        @Override
        public int[] encode(final String text)
        {
            return encodeWhole('^' + text);
        }

        @Override
        public int[] encodeWhole(final String text)
        {
            return text.chars().toArray();
        }

        @Override
        public String decode(final int[] tokens)
        {
            return new String(tokens, 0, tokens.length);
        }

        @Override
        public void close()
        {
        }
    }

    private CheckpointText text()
    {
        return CheckpointText.of(new Characters(), 256, new int[] {7}, directory);
    }

    private String chat() throws IOException
    {
        final CheckpointText text = text();
        return text.decode(text.chat(HELLO));
    }

    private void config(final String json) throws IOException
    {
        Files.writeString(directory.resolve("tokenizer_config.json"), json);
    }

    @Test
    void shouldGiveAConversationTheFormOfItsModel() throws IOException
    {
        config("{\"bos_token\": {\"content\": \"<s>\"}, \"eos_token\": \"</s>\", \"chat_template\": \"{{ bos_token }}" +
            "{% for m in messages %}{{ m.role }}: {{ m['content'] }}{{ eos_token }}{% endfor %}" +
            "{% if add_generation_prompt and tools is none %}assistant:{% endif %}\"}");

        assertEquals("<s>system: Be brief.</s>user: Hello</s>assistant:", chat());
        assertEquals("^Hello", text().decode(text().encode("Hello")));
    }

    @Test
    void shouldTakeTheDefaultOfSeveralTemplatesAndAFileOfItsOwnBeforeAll() throws IOException
    {
        config("{\"chat_template\": [{\"name\": \"tool_use\", \"template\": \"tools\"}, " +
            "{\"name\": \"default\", \"template\": \"plain\"}]}");
        assertEquals("plain", chat());

        Files.writeString(directory.resolve("chat_template.jinja"), "{{ messages | length }} messages\n");
        assertEquals("2 messages", chat());
    }

    /** What the templates of Qwen, Llama and Mistral read besides messages. */
    @Test
    void shouldGiveToolsAndFurtherValuesToTheTemplate() throws IOException
    {
        final List<Object> tools = List.of(Map.of("type", "function", "function", Map.of("name", "arrivals")));
        final Map<String, Object> call = Map.of("function", Map.of("name", "arrivals", "arguments", Map.of("track", 9L)));
        final Conversation conversation = new Conversation(
            List.of(new ChatMessage("assistant", "", Map.of("tool_calls", List.of(call)))), tools, List.of(),
            Map.of("enable_thinking", false, "messages", "not these"), false);
        config("{\"chat_template\": [{\"name\": \"default\", \"template\": \"plain\"}, " +
            "{\"name\": \"tool_use\", \"template\": \"{{ tools[0].function.name }} {% for m in messages %}" +
            "{% for c in m.tool_calls %}{{ c.function.arguments.track }}{% endfor %}{% endfor %} " +
            "{{ enable_thinking }} {{ add_generation_prompt }}\"}]}");
        final CheckpointText text = text();
        assertEquals("arrivals 9 False False", text.decode(text.chat(conversation)));
        assertEquals("plain", text.decode(text.chat(HELLO)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', value = {
        "{};the model has no chat template; send the prompt as text to /v1/completions",
        "{\"chat_template\": null};the model has no chat template",
        "{\"chat_template\": [{\"name\": \"rag\", \"template\": \"x\"}]};the model has no chat template",
        "{\"chat_template\": 7};tokenizer_config.json has a chat_template that is neither a text nor a list of named texts",
        "{\"chat_template\": \"{% if %}\"};tokenizer_config.json: the chat template cannot be read (line 1: ",
        "{\"chat_template\": \"{{ raise_exception('no system') }}\"};refuses the conversation (line 1: no system)",
        "{\"chat_template\": ;tokenizer_config.json is not valid JSON (",
        "[];tokenizer_config.json is not valid JSON (it is not a JSON object)"})
    void shouldSayWhyThereIsNoConversation(final String json, final String reason) throws IOException
    {
        config(json);
        final ConfigException refusal = assertThrows(ConfigException.class, this::chat);
        assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
    }

    @Test
    void shouldRefuseADirectoryInPlaceOfAFile() throws IOException
    {
        Files.createDirectory(directory.resolve("chat_template.jinja"));
        final ConfigException refusal = assertThrows(ConfigException.class, this::text);
        assertTrue(refusal.getMessage().contains("chat_template.jinja is not a file"), refusal.getMessage());
    }
}
