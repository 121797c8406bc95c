// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.text;

import io.signalbox.ConfigException;
import io.signalbox.files.FileFault;
import io.signalbox.server.template.ChatTemplate;
import io.signalbox.server.template.JsonValues;
import io.signalbox.serving.TextTokenizer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The text of a checkpoint: its tokenizer, and the chat template that is in its directory. */
final class CheckpointText implements ModelText
{
    private static final String CONFIG = "tokenizer_config.json";
    /** Newer checkpoints have the template in a file of its own. */
    private static final String TEMPLATE = "chat_template.jinja";
    private static final String FIELD = "chat_template";
    private static final int MOST_BYTES = 16 << 20;
    private static final List<String> SPECIAL_TOKENS = List.of("bos_token", "eos_token", "unk_token", "pad_token");

    private final TextTokenizer tokenizer;
    private final int vocabularySize;
    private final int[] endTokens;
    /** {@code null}: there is none. */
    private final ChatTemplate template;
    /** Of conversations with tools. */
    private final ChatTemplate toolTemplate;
    private final Map<String, Object> specialTokens;

    private CheckpointText(
        final TextTokenizer tokenizer, final int vocabularySize, final int[] endTokens, final ChatTemplate template,
        final ChatTemplate toolTemplate, final Map<String, Object> specialTokens)
    {
        this.tokenizer = tokenizer;
        this.vocabularySize = vocabularySize;
        this.endTokens = endTokens.clone();
        this.template = template;
        this.toolTemplate = toolTemplate;
        this.specialTokens = specialTokens;
    }

    /** As {@link ModelText#of} says. */
    static CheckpointText of(
        final TextTokenizer tokenizer, final int vocabularySize, final int[] endTokens, final Path directory)
    {
        if (directory == null)
        {
            return new CheckpointText(tokenizer, vocabularySize, endTokens, null, null, Map.of());
        }
        final Path file = directory.resolve(CONFIG);
        final Map<String, Object> config = Files.exists(file) ? config(file) : Map.of();
        final Path own = directory.resolve(TEMPLATE);
        final Object given = Files.exists(own) ? new String(read(own), StandardCharsets.UTF_8) : config.get(FIELD);
        final Path from = Files.exists(own) ? own : file;
        final ChatTemplate template = template(from, named(given, "default"));
        final Object forTools = given instanceof List ? named(given, "tool_use") : null;
        return new CheckpointText(tokenizer, vocabularySize, endTokens, template,
            forTools == null ? template : template(from, forTools), specialTokens(config));
    }

    /** {@code null} if there is no source. */
    private static ChatTemplate template(final Path file, final Object source)
    {
        if (source != null && !(source instanceof String))
        {
            throw new ConfigException(file + " has a " + FIELD + " that is neither a text nor a list of named texts; " +
                "correct it, or remove it to serve prompts as text.");
        }
        try
        {
            return source == null ? null : ChatTemplate.parse((String)source);
        }
        catch (final ConfigException e)
        {
            throw new ConfigException(file + ": " + e.getMessage());
        }
    }

    private static Map<String, Object> config(final Path file)
    {
        try
        {
            return JsonValues.object(read(file));
        }
        catch (final IOException e)
        {
            throw new ConfigException(file + " is not valid JSON (" + String.valueOf(e.getMessage()).lines().findFirst()
                .orElse("") + "); give the file of this checkpoint again.");
        }
    }

    private static byte[] read(final Path file)
    {
        if (!Files.isRegularFile(file))
        {
            throw new ConfigException(file + " is not a file; give the file of this checkpoint, or remove it.");
        }
        try (InputStream in = Files.newInputStream(file))
        {
            final byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES)
            {
                throw new ConfigException(file + " has more than " + MOST_BYTES +
                    " bytes; give the file of this checkpoint.");
            }
            return bytes;
        }
        catch (final IOException e)
        {
            throw new ConfigException(file + " cannot be read (" + FileFault.reason(e) + "); allow it to be read.");
        }
    }

    /** Of several templates the one of this name; {@code null}: there is none. */
    private static Object named(final Object templates, final String name)
    {
        if (!(templates instanceof List))
        {
            return templates;
        }
        for (final Object named : (List<?>)templates)
        {
            if (named instanceof Map && name.equals(((Map<?, ?>)named).get("name")))
            {
                return ((Map<?, ?>)named).get("template");
            }
        }
        return null;
    }

    /** A token is a text, or an object with its text. */
    private static Map<String, Object> specialTokens(final Map<String, Object> config)
    {
        final Map<String, Object> tokens = new LinkedHashMap<>();
        for (final String name : SPECIAL_TOKENS)
        {
            final Object value = config.get(name);
            final Object text = value instanceof Map ? ((Map<?, ?>)value).get("content") : value;
            if (text instanceof String)
            {
                tokens.put(name, text);
            }
        }
        return tokens;
    }

    @Override
    public int[] encode(final String text)
    {
        synchronized (tokenizer)
        {
            return tokenizer.encode(text);
        }
    }

    @Override
    public int[] encodeWhole(final String text)
    {
        synchronized (tokenizer)
        {
            return tokenizer.encodeWhole(text);
        }
    }

    @Override
    public String decode(final int[] tokens)
    {
        synchronized (tokenizer)
        {
            return tokenizer.decode(tokens);
        }
    }

    @Override
    public String decodeWhole(final int[] tokens)
    {
        synchronized (tokenizer)
        {
            return tokenizer.decodeWhole(tokens);
        }
    }

    @Override
    public int[] chat(final Conversation conversation)
    {
        final ChatTemplate chosen = conversation.tools().isEmpty() ? template : toolTemplate;
        if (chosen == null)
        {
            throw new ConfigException("the model has no chat template; send the prompt as text to /v1/completions, or add " +
                TEMPLATE + " to its directory.");
        }
        return encodeWhole(chosen.render(values(conversation)));
    }

    private Map<String, Object> values(final Conversation conversation)
    {
        final List<Object> all = new ArrayList<>();
        for (final ChatMessage message : conversation.messages())
        {
            final Map<String, Object> values = new LinkedHashMap<>(message.others());
            values.put("role", message.role());
            values.put("content", message.content());
            all.add(values);
        }
        final Map<String, Object> values = new LinkedHashMap<>(specialTokens);
        values.putAll(conversation.values());
        values.put("messages", all);
        values.put("add_generation_prompt", conversation.opensAnswer());
        values.put("tools", orNull(conversation.tools()));
        values.put("documents", orNull(conversation.documents()));
        return values;
    }

    /** Templates ask for null before they ask for the length. */
    private static List<Object> orNull(final List<Object> values)
    {
        return values.isEmpty() ? null : values;
    }

    @Override
    public int vocabularySize()
    {
        return vocabularySize;
    }

    @Override
    public int[] endTokens()
    {
        return endTokens.clone();
    }
}
