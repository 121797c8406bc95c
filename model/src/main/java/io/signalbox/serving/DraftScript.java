// SPDX-License-Identifier: Apache-2.0
package io.signalbox.serving;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import io.signalbox.event.RequestContent;
import io.signalbox.files.FileFault;
import org.agrona.collections.Long2ObjectHashMap;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Guesses by a script: a file with the expected answers to prompts, such as those of an earlier run or of another model. A
 * request whose prompt is none of the file has no guesses, and none has any behind the end of its expected answer.
 */
public final class DraftScript implements DraftSource
{
    public static final Setting<Optional<Path>> FILE = Setting.form("draftScript", "", Path.of("answers.jsonl"),
        "the name of a file that ends in .jsonl", DraftScript::path, Path::toString,
        "Expected answers, which are fed as draft tokens: a JSON object per line with prompt and tokens, lists of token " +
            "ids.")
        .orAbsent("none");

    private static final JsonFactory JSON = new JsonFactory();
    private static final int NO_TOKEN = -1;
    private static final int[] NO_ANSWER = {};
    /** Requests whose answers were looked up: more than run at a time. */
    private static final int MOST_KNOWN = 1 << 16;
    private static final long MOST_BYTES = 1 << 28;

    private final Path file;
    private final Map<Tokens, int[]> answers = new HashMap<>();
    private final Long2ObjectHashMap<int[]> known = new Long2ObjectHashMap<>();

    /** A list of token ids as a key. */
    private record Tokens(int[] ids)
    {
        @Override
        public boolean equals(final Object other)
        {
            return other instanceof Tokens && Arrays.equals(ids, ((Tokens)other).ids);
        }

        @Override
        public int hashCode()
        {
            return Arrays.hashCode(ids);
        }
    }

    private DraftScript(final Path file)
    {
        this.file = file;
    }

    private static Path path(final String text)
    {
        try
        {
            return text.endsWith(".jsonl") ? Path.of(text) : null;
        }
        catch (final InvalidPathException e)
        {
            return null;
        }
    }

    /**
     * Reads a script; of equal prompts the last counts. Fields other than {@code prompt} and {@code tokens} are skipped.
     *
     * @throws ConfigException with file, line and fault.
     */
    public static DraftScript read(final Path file)
    {
        final DraftScript script = new DraftScript(file);
        if (!Files.isRegularFile(file))
        {
            throw new ConfigException("the draft script " + file + (Files.exists(file) ? " is no regular file" :
                " is not there") + "; give a file with a JSON object per line.");
        }
        int number = 0;
        try (BufferedReader lines = Files.newBufferedReader(file))
        {
            if (Files.size(file) > MOST_BYTES)
            {
                throw new ConfigException(
                    "the draft script " + file + " has more than " + MOST_BYTES + " bytes; give a script of fewer prompts.");
            }
            for (String line = lines.readLine(); line != null; line = lines.readLine())
            {
                number++;
                if (!line.isBlank())
                {
                    script.add(line, number);
                }
            }
        }
        catch (final CharacterCodingException e)
        {
            throw script.fault(number + 1, "is not UTF-8");
        }
        catch (final IOException e)
        {
            throw new ConfigException(
                "the draft script " + file + " cannot be read (" + FileFault.reason(e) + "); give a readable file.");
        }
        if (script.answers.isEmpty())
        {
            throw new ConfigException("the draft script " + file + " is empty; give a file with a JSON object per line.");
        }
        return script;
    }

    private void add(final String line, final int number) throws IOException
    {
        int[] prompt = null;
        int[] tokens = null;
        try (JsonParser parser = JSON.createParser(line))
        {
            if (parser.nextToken() != JsonToken.START_OBJECT)
            {
                throw fault(number, "is no JSON object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME)
            {
                final String name = parser.currentName();
                parser.nextToken();
                switch (name)
                {
                    case "prompt" -> prompt = tokens(parser, name, number);
                    case "tokens" -> tokens = tokens(parser, name, number);
                    default -> parser.skipChildren();
                }
            }
            if (parser.nextToken() != null)
            {
                throw fault(number, "has something behind its JSON object");
            }
        }
        catch (final JsonProcessingException e)
        {
            throw fault(number, "is not valid JSON");
        }
        if (prompt == null || tokens == null)
        {
            throw fault(number, "lacks " + (prompt == null ? "'prompt'" : "'tokens'"));
        }
        answers.put(new Tokens(prompt), tokens);
    }

    private int[] tokens(final JsonParser parser, final String name, final int number) throws IOException
    {
        if (parser.currentToken() != JsonToken.START_ARRAY)
        {
            throw fault(number, "has a '" + name + "' that is no list of token ids");
        }
        int[] ids = new int[16];
        int count = 0;
        while (parser.nextToken() != JsonToken.END_ARRAY)
        {
            if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT || parser.getNumberType() != JsonParser.NumberType.INT ||
                parser.getIntValue() < 0)
            {
                throw fault(number, "has a '" + name + "' that is no list of token ids");
            }
            ids = count < ids.length ? ids : Arrays.copyOf(ids, 2 * count);
            ids[count++] = parser.getIntValue();
        }
        return Arrays.copyOf(ids, count);
    }

    private ConfigException fault(final int line, final String fault)
    {
        return new ConfigException("line " + line + " of the draft script " + file + " " + fault +
            "; give an object with 'prompt' and 'tokens', lists of token ids.");
    }

    @Override
    public void guess(final RequestContent request, final int from, final int[] guesses, final int at, final int count)
    {
        final int[] answer = answer(request);
        for (int i = 0; i < count; i++)
        {
            final int place = from + i - request.promptTokens();
            guesses[at + i] = place >= 0 && place < answer.length ? answer[place] : NO_TOKEN;
        }
    }

    private int[] answer(final RequestContent request)
    {
        int[] answer = known.get(request.requestId());
        if (answer == null)
        {
            if (known.size() == MOST_KNOWN)
            {
                known.clear();
            }
            final int[] prompt = new int[request.promptTokens()];
            Arrays.setAll(prompt, request::token);
            answer = answers.getOrDefault(new Tokens(prompt), NO_ANSWER);
            known.put(request.requestId(), answer);
        }
        return answer;
    }
}
