// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.signalbox.ConfigException;
import io.signalbox.files.FileFault;
import io.signalbox.files.InputFile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads traces that are one JSON document: conversations of ShareGPT, whose turns follow each other, and detailed results of
 * {@code vllm bench serve}. Without a tokenizer a token counts as four characters.
 */
final class ListedDocumentReader
{
    private static final int CHARACTERS_PER_TOKEN = 4;
    private static final JsonFactory JSON = JsonFactory.builder().streamReadConstraints(
        StreamReadConstraints.builder().maxDocumentLength(TraceText.MAX_CHARS).build()).build();

    private final Path file;
    private final TraceFormat format;
    private final List<ListedRequest> listed = new ArrayList<>();

    ListedDocumentReader(final Path file, final TraceFormat format)
    {
        this.file = file;
        this.format = format;
    }

    List<ListedRequest> read()
    {
        final String unusable = InputFile.fault(file);
        if (unusable != null)
        {
            throw new ConfigException("the trace " + file + " " + unusable + "; give the path of a JSON file.");
        }
        try (JsonParser parser = JSON.createParser(TraceText.plain(file)))
        {
            if (format == TraceFormat.SHAREGPT)
            {
                readConversations(parser);
            }
            else
            {
                readResult(parser);
            }
        }
        catch (final JsonProcessingException e)
        {
            throw format.misread(file, "is not valid JSON (" + TraceFault.reason(e) + ")");
        }
        catch (final IOException e)
        {
            throw new ConfigException("the trace " + file + " cannot be read (" + FileFault.reason(e) +
                "); give an undamaged JSON file, plain or gzipped.");
        }
        return listed;
    }

    private void readConversations(final JsonParser parser) throws IOException
    {
        if (parser.nextToken() != JsonToken.START_ARRAY)
        {
            throw format.misread(file, "is not a JSON array");
        }
        for (int number = 1; parser.nextToken() == JsonToken.START_OBJECT; number++)
        {
            while (parser.nextToken() == JsonToken.FIELD_NAME)
            {
                final boolean isTurns = parser.currentName().equals("conversations");
                if (parser.nextToken() == JsonToken.START_ARRAY && isTurns)
                {
                    readTurns(parser, Integer.toString(number));
                }
                else
                {
                    parser.skipChildren();
                }
            }
        }
    }

    /** A question is what came since the last answer. */
    private void readTurns(final JsonParser parser, final String conversation) throws IOException
    {
        int context = 0;
        int asked = 0;
        boolean isFirst = true;
        while (parser.nextToken() == JsonToken.START_OBJECT)
        {
            String from = "";
            int tokens = 0;
            while (parser.nextToken() == JsonToken.FIELD_NAME)
            {
                final String name = parser.currentName();
                parser.nextToken();
                from = name.equals("from") || name.equals("role") ? parser.getText() : from;
                tokens = name.equals("value") || name.equals("content") ? tokens(parser.getText()) : tokens;
                parser.skipChildren();
            }
            final boolean isAnswer = from.equals("gpt") || from.equals("assistant") || from.equals("bot");
            if (isAnswer && asked > 0)
            {
                listed.add(new ListedRequest(isFirst ? 0 : Double.NaN, 0, conversation, Math.max(1, context + asked), tokens,
                    null, 0));
                checkCount();
                isFirst = false;
                context += asked + tokens;
                asked = 0;
            }
            asked += isAnswer ? 0 : tokens;
        }
    }

    private static int tokens(final String text)
    {
        return text == null ? 0 : (text.length() + CHARACTERS_PER_TOKEN - 1) / CHARACTERS_PER_TOKEN;
    }

    private void checkCount()
    {
        if (listed.size() > Workload.MAX_REQUESTS)
        {
            throw format.misread(file, "has more than " + Workload.MAX_REQUESTS + " requests");
        }
    }

    /** Arrivals are even at the rate of the benchmark, or all at once. */
    private void readResult(final JsonParser parser) throws IOException
    {
        double rate = Double.POSITIVE_INFINITY;
        List<Integer> inputs = List.of();
        List<Integer> outputs = List.of();
        if (parser.nextToken() != JsonToken.START_OBJECT)
        {
            throw format.misread(file, "is not a JSON object");
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME)
        {
            final String name = parser.currentName();
            final JsonToken value = parser.nextToken();
            if (name.equals("request_rate") && value.isNumeric())
            {
                rate = parser.getDoubleValue();
            }
            else if (name.equals("input_lens") && value == JsonToken.START_ARRAY)
            {
                inputs = lengths(parser);
            }
            else if (name.equals("output_lens") && value == JsonToken.START_ARRAY)
            {
                outputs = lengths(parser);
            }
            else
            {
                parser.skipChildren();
            }
        }
        if (inputs.isEmpty() || inputs.size() != outputs.size())
        {
            throw format.misread(file, "has " + inputs.size() + " input_lens and " + outputs.size() +
                " output_lens, as a result without --save-detailed");
        }
        for (int i = 0; i < inputs.size(); i++)
        {
            listed.add(new ListedRequest(
                rate > 0 ? i / rate : 0, 0, null, Math.max(1, inputs.get(i)), outputs.get(i), null, 0));
        }
    }

    private List<Integer> lengths(final JsonParser parser) throws IOException
    {
        final List<Integer> lengths = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY)
        {
            if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT || parser.getLongValue() < 0 ||
                parser.getLongValue() > SizeDistribution.MAX_SIZE || lengths.size() == Workload.MAX_REQUESTS)
            {
                throw format.misread(file, "has a length '" + TraceFault.printable(parser.getText()) + "'");
            }
            lengths.add(parser.getIntValue());
        }
        return lengths;
    }
}
