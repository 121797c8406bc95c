// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.signalbox.ConfigException;
import io.signalbox.files.FileFault;
import io.signalbox.files.InputFile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a cost file says to a simulation: the step cost, and the range that its measurements cover.
 *
 * @param mostPromptTokens longest prompt of a measurement; 0: unknown.
 * @param mostConcurrency  most requests in flight of a measurement, over the whole deployment; 0: unknown.
 */
public record CostFile(ServedStepCost stepCost, int mostPromptTokens, int mostConcurrency)
{
    public static final String SCHEMA = "signalbox.cost/1";
    private static final String REMEDY =
        "give a JSON document of the schema " + SCHEMA + ", as 'signalbox calibrate' writes it.";
    private static final long MAX_BYTES = 1 << 20;

    /** @throws ConfigException that names the file and its fault. */
    public static CostFile read(final Path file)
    {
        final String unusable = InputFile.fault(file);
        if (unusable != null)
        {
            throw fault(file, unusable);
        }
        try
        {
            if (Files.size(file) > MAX_BYTES)
            {
                throw fault(file, "has more than " + MAX_BYTES + " bytes");
            }
            try (JsonParser parser = new JsonFactory().createParser(Files.readString(file)))
            {
                return read(file, parser);
            }
        }
        catch (final JsonProcessingException e)
        {
            throw fault(file, "is not valid JSON");
        }
        catch (final IOException e)
        {
            throw fault(file, "cannot be read (" + FileFault.reason(e) + ")");
        }
    }

    private static CostFile read(final Path file, final JsonParser parser) throws IOException
    {
        String schema = null;
        ServedStepCost cost = null;
        int prompt = 0;
        int concurrency = 0;
        if (parser.nextToken() != JsonToken.START_OBJECT)
        {
            throw fault(file, "is not a JSON object");
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME)
        {
            final String name = parser.currentName();
            final JsonToken value = parser.nextToken();
            if (name.equals("schema") && value == JsonToken.VALUE_STRING)
            {
                schema = parser.getText();
            }
            else if (name.equals("stepCost") && value == JsonToken.VALUE_STRING)
            {
                cost = ServedStepCost.parse(parser.getText());
            }
            else if (name.equals("mostPromptTokens") && value == JsonToken.VALUE_NUMBER_INT)
            {
                prompt = parser.getIntValue();
            }
            else if (name.equals("mostConcurrency") && value == JsonToken.VALUE_NUMBER_INT)
            {
                concurrency = parser.getIntValue();
            }
            else
            {
                parser.skipChildren();
            }
        }
        if (!SCHEMA.equals(schema) || cost == null)
        {
            throw fault(file, "is not a document " + SCHEMA + " with a stepCost");
        }
        return new CostFile(cost, prompt, concurrency);
    }

    private static ConfigException fault(final Path file, final String fault)
    {
        return new ConfigException("the cost file " + file + " " + fault + "; " + REMEDY);
    }

    /**
     * How a run leaves the range of the measurements, as clauses; empty if it does not.
     *
     * @param longestPrompt tokens of the longest prompt of the run.
     * @param mostEntries   most requests in a step of one rank.
     */
    public List<String> extrapolations(final long longestPrompt, final long mostEntries)
    {
        final List<String> clauses = new ArrayList<>();
        if (mostPromptTokens > 0 && longestPrompt > mostPromptTokens)
        {
            clauses.add("prompts have up to " + longestPrompt + " tokens, and the measured ones had up to " +
                mostPromptTokens);
        }
        final int measured = mostConcurrency / stepCost.shape().dataParallel();
        if (mostConcurrency > 0 && mostEntries > Math.max(1, measured))
        {
            clauses.add("steps have up to " + mostEntries + " requests, and the measured ones had up to " +
                Math.max(1, measured));
        }
        return clauses;
    }
}
