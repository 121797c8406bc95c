// SPDX-License-Identifier: Apache-2.0
package io.signalbox.tokenizer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.signalbox.ConfigException;
import io.signalbox.files.FileFault;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;

/**
 * Checks a tokenizer.json before native code reads it: a regular file of bounded size and depth, one JSON object without
 * repeated names, a model of a known type, and token ids below the vocabulary of the model, none of them twice.
 */
final class TokenizerFile
{
    static final int MAX_BYTES = 1 << 26;
    private static final int MAX_DEPTH = 64;
    private static final int MAX_STRING = 1 << 24;
    private static final int MAX_NAME = 1 << 16;
    private static final List<String> TYPES = List.of("BPE", "Unigram", "WordLevel", "WordPiece");
    private static final String REMEDY = "give the tokenizer.json of the model's checkpoint";
    private static final JsonFactory JSON = JsonFactory.builder()
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).maxNameLength(MAX_NAME)
            .maxStringLength(MAX_STRING).build())
        .build();

    private final Path file;
    private final int vocabulary;
    private final BitSet ids = new BitSet();
    private String type;
    private boolean hasModel;

    TokenizerFile(final Path file, final int vocabulary)
    {
        this.file = file;
        this.vocabulary = vocabulary;
    }

    /** The bytes of the file. */
    byte[] read()
    {
        if (!Files.isRegularFile(file))
        {
            throw fault(Files.exists(file) ? "is not a regular file" : "does not exist", REMEDY);
        }
        try
        {
            final long size = Files.size(file);
            if (size > MAX_BYTES)
            {
                throw fault("has " + size + " bytes, above " + MAX_BYTES, REMEDY);
            }
            final byte[] bytes = Files.readAllBytes(file);
            check(bytes);
            return bytes;
        }
        catch (final JsonProcessingException e)
        {
            throw fault("is not valid JSON (" + printable(e.getOriginalMessage()) + ")", "copy or download the file again");
        }
        catch (final IOException e)
        {
            throw fault("cannot be read (" + FileFault.reason(e) + ")", "give a file that this user may read");
        }
    }

    private void check(final byte[] bytes) throws IOException
    {
        try (JsonParser parser = JSON.createParser(bytes))
        {
            if (parser.nextToken() != JsonToken.START_OBJECT)
            {
                throw fault("is not a JSON object", REMEDY);
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME)
            {
                final String name = parser.currentName();
                parser.nextToken();
                switch (name)
                {
                    case "model" -> readModel(parser);
                    case "added_tokens" -> readAdded(parser);
                    default -> parser.skipChildren();
                }
            }
            if (parser.nextToken() != null)
            {
                throw fault("has something after its JSON object", REMEDY);
            }
        }
        if (!hasModel || ids.isEmpty())
        {
            throw fault("has no 'model' with a 'vocab'", REMEDY);
        }
        // Older files do not name the type; of these BPE is the only one with merges.
        if (type != null && !TYPES.contains(type))
        {
            throw fault("has a model of the type '" + printable(type) + "', which is none of " + String.join(", ", TYPES),
                "use a model with one of these tokenizers, or give token ids");
        }
    }

    private void readModel(final JsonParser parser) throws IOException
    {
        require(parser, JsonToken.START_OBJECT, "model", "object");
        hasModel = true;
        while (parser.nextToken() == JsonToken.FIELD_NAME)
        {
            final String name = parser.currentName();
            final JsonToken value = parser.nextToken();
            if (name.equals("type"))
            {
                require(parser, JsonToken.VALUE_STRING, "type", "text");
                type = parser.getText();
            }
            else if (name.equals("vocab") && value == JsonToken.START_ARRAY)
            {
                readPieces(parser);
            }
            else if (name.equals("vocab"))
            {
                readVocabulary(parser);
            }
            else
            {
                parser.skipChildren();
            }
        }
    }

    /** Of a Unigram model: the place of a piece is its id. */
    private void readPieces(final JsonParser parser) throws IOException
    {
        for (long id = 0; parser.nextToken() != JsonToken.END_ARRAY; id++)
        {
            addId(id, "number " + id);
            parser.skipChildren();
        }
    }

    private void readVocabulary(final JsonParser parser) throws IOException
    {
        require(parser, JsonToken.START_OBJECT, "vocab", "object");
        while (parser.nextToken() == JsonToken.FIELD_NAME)
        {
            final String token = parser.currentName();
            parser.nextToken();
            addId(id(parser, token), token);
        }
    }

    /** Added tokens may be in the vocabulary as well. */
    private void readAdded(final JsonParser parser) throws IOException
    {
        require(parser, JsonToken.START_ARRAY, "added_tokens", "list");
        while (parser.nextToken() != JsonToken.END_ARRAY)
        {
            require(parser, JsonToken.START_OBJECT, "added_tokens", "list of objects");
            while (parser.nextToken() == JsonToken.FIELD_NAME)
            {
                final boolean isId = parser.currentName().equals("id");
                parser.nextToken();
                if (isId)
                {
                    checkId(id(parser, "an added one"), "an added one");
                }
                parser.skipChildren();
            }
        }
    }

    private long id(final JsonParser parser, final String token) throws IOException
    {
        if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT ||
            parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER || parser.getLongValue() < 0)
        {
            throw fault("has the token '" + printable(token) + "' with an id that is no whole number from 0", REMEDY);
        }
        return parser.getLongValue();
    }

    private void addId(final long id, final String token)
    {
        checkId(id, token);
        if (ids.get((int)id))
        {
            throw fault("has the id " + id + " twice, the second time for the token '" + printable(token) + "'", REMEDY);
        }
        ids.set((int)id);
    }

    private void checkId(final long id, final String token)
    {
        if (id >= vocabulary)
        {
            throw fault("has the token '" + printable(token) + "' with the id " + id +
                ", and the model's vocabulary ends at " + (vocabulary - 1), REMEDY);
        }
    }

    private void require(final JsonParser parser, final JsonToken token, final String field, final String form)
    {
        if (parser.currentToken() != token)
        {
            throw fault("has a '" + field + "' that is no " + form, REMEDY);
        }
    }

    private ConfigException fault(final String fault, final String remedy)
    {
        return new ConfigException("the tokenizer " + file + " " + fault + "; " + remedy + ".");
    }

    /** A text of a hostile file, fit for a sentence on a terminal. */
    private static String printable(final String text)
    {
        final int most = 80;
        final StringBuilder printable = new StringBuilder();
        text.lines().findFirst().orElse("").codePoints().limit(most)
            .map(point -> point < ' ' || point >= 0x7f ? '?' : point).forEach(printable::appendCodePoint);
        return printable.toString();
    }
}
