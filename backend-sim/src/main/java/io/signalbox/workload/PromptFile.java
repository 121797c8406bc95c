// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.signalbox.ConfigException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Reads prompts, one JSON object per line, plain or gzipped: {@code prompt} is a list of token ids, or {@code text} a text
 * that a tokenizer encodes; {@code id}, {@code max_new_tokens}, {@code temperature}, {@code top_k}, {@code top_p}, {@code
 * seed}, {@code stop_token} and {@code conversation} are optional.
 */
public final class PromptFile implements JsonLines.LineReader
{
    private static final String FIELDS =
        "id, prompt, text, max_new_tokens, temperature, top_k, top_p, seed, stop_token, conversation";
    private static final Set<String> OPTIONAL = Set.of(
        "id", "max_new_tokens", "temperature", "top_k", "top_p", "seed", "stop_token", "conversation");
    private static final int MAX_ID_LENGTH = 256;

    private final Path file;
    private final int vocabulary;
    private final Function<String, int[]> encoder;
    private final JsonLines lines;
    private final List<PromptLine> prompts = new ArrayList<>();
    private final Map<String, Integer> ids = new HashMap<>();
    private String id;
    private int[] tokens;
    private Integer maxNewTokens;
    private Double temperature;
    private Integer topK;
    private Double topP;
    private Long seed;
    private int[] stopTokens;
    private Long conversation;

    private PromptFile(final Path file, final int vocabulary, final Function<String, int[]> encoder)
    {
        this.file = file;
        this.encoder = encoder;
        this.vocabulary = vocabulary;
        lines = new JsonLines("prompts file", file);
    }

    /**
     * Reads a file.
     *
     * @param vocabulary token ids of the model are below it.
     * @param encoder    makes token ids of a text, or throws a {@code ConfigException} that says why not.
     * @throws ConfigException with file, line and fault, if anything is not exactly as described.
     */
    public static List<PromptLine> read(final Path file, final int vocabulary, final Function<String, int[]> encoder)
    {
        final PromptFile reader = new PromptFile(file, vocabulary, encoder);
        reader.lines.read(reader);
        if (reader.prompts.isEmpty())
        {
            throw new ConfigException("the prompts file " + file + " is empty; give a file with one prompt per line.");
        }
        return List.copyOf(reader.prompts);
    }

    @Override
    public void begin()
    {
        id = null;
        tokens = null;
        maxNewTokens = null;
        temperature = null;
        topK = null;
        topP = null;
        seed = null;
        stopTokens = null;
        conversation = null;
    }

    @Override
    public void field(final JsonParser parser, final String name) throws IOException
    {
        if (parser.currentToken() == JsonToken.VALUE_NULL && OPTIONAL.contains(name))
        {
            // As if it were not given.
            return;
        }
        switch (name)
        {
            case "id" -> id = readId(parser);
            case "prompt", "text" -> tokens = readPrompt(parser, name);
            case "max_new_tokens" -> maxNewTokens = (int)lines.number(parser, name, 0, Integer.MAX_VALUE);
            case "temperature" -> temperature = readReal(parser, name, Float.MAX_VALUE);
            case "top_k" -> topK = (int)lines.number(parser, name, 0, Integer.MAX_VALUE);
            case "top_p" -> topP = readReal(parser, name, 1.0);
            case "seed" -> seed = lines.number(parser, name, 0, Long.MAX_VALUE);
            case "stop_token" -> stopTokens = readStopTokens(parser, name);
            case "conversation" -> conversation = lines.number(parser, name, 0, Long.MAX_VALUE);
            default -> throw lines.fault("has the unknown field '" + TraceFault.printable(name) + "', which is none of " +
                FIELDS);
        }
    }

    private String readId(final JsonParser parser) throws IOException
    {
        final JsonToken token = parser.currentToken();
        if (token != JsonToken.VALUE_STRING && token != JsonToken.VALUE_NUMBER_INT ||
            parser.getText().length() > MAX_ID_LENGTH)
        {
            throw lines.fault("has an 'id' that is neither a text of at most " + MAX_ID_LENGTH +
                " characters nor a whole number");
        }
        final String text = parser.getText();
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text))
        {
            throw lines.fault("has an 'id' with half of a surrogate pair, which no file can hold");
        }
        return text;
    }

    private int[] readPrompt(final JsonParser parser, final String name) throws IOException
    {
        if (tokens != null)
        {
            throw lines.fault("has both a 'prompt' and a 'text'");
        }
        return parser.currentToken() == JsonToken.VALUE_STRING ? encode(parser.getText(), name) : readTokens(parser, name);
    }

    private int[] encode(final String text, final String name)
    {
        final int[] encoded;
        try
        {
            encoded = encoder.apply(text);
        }
        catch (final ConfigException e)
        {
            throw new ConfigException(
                "the prompts file " + file + ", line " + lines.line() + ", has a prompt of text, and " + e.getMessage());
        }
        if (encoded.length == 0)
        {
            throw lines.fault("has a '" + name + "' without any token");
        }
        return encoded;
    }

    private int[] readTokens(final JsonParser parser, final String name) throws IOException
    {
        if (name.equals("text"))
        {
            throw lines.fault("has a 'text' that is no text");
        }
        lines.expect(parser, JsonToken.START_ARRAY, name, "a list of token ids");
        final int[] read = readIds(parser, name);
        if (read.length == 0)
        {
            throw lines.fault("has an empty 'prompt'");
        }
        return read;
    }

    /** One id, or a list of them. */
    private int[] readStopTokens(final JsonParser parser, final String name) throws IOException
    {
        if (parser.currentToken() != JsonToken.START_ARRAY)
        {
            return new int[] {(int)lines.number(parser, name, 0, vocabulary - 1)};
        }
        return readIds(parser, name);
    }

    /** The rest of a list. */
    private int[] readIds(final JsonParser parser, final String name) throws IOException
    {
        int[] read = new int[64];
        int count = 0;
        while (parser.nextToken() != JsonToken.END_ARRAY)
        {
            read = count == read.length ? Arrays.copyOf(read, 2 * count) : read;
            read[count++] = (int)lines.number(parser, name, 0, vocabulary - 1);
        }
        return Arrays.copyOf(read, count);
    }

    private double readReal(final JsonParser parser, final String name, final double most) throws IOException
    {
        final JsonToken token = parser.currentToken();
        final double value = token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_NUMBER_FLOAT ?
            parser.getDoubleValue() : Double.NaN;
        if (!(value >= 0.0 && value <= most))
        {
            throw lines.fault("has '" + name + "' that is no number between 0 and " + (most == 1.0 ? "1" : "1e38"));
        }
        return value;
    }

    @Override
    public void end()
    {
        lines.require(tokens != null, "prompt");
        final String named = id == null ? Integer.toString(lines.line()) : id;
        final Integer other = ids.putIfAbsent(named, lines.line());
        if (other != null)
        {
            throw lines.fault(id == null ? "has no 'id', and its number is the id of line " + other + "; give it an id" :
                "has the id '" + TraceFault.printable(named) + "' of line " + other);
        }
        if (prompts.size() == Workload.MAX_REQUESTS)
        {
            throw lines.tooMany();
        }
        prompts.add(new PromptLine(named, tokens, maxNewTokens, stopTokens, conversation,
            new PromptLine.SamplingFields(temperature, topK, topP, seed)));
    }
}
