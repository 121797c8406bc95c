// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.signalbox.files.InputFile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** Reads formats of one JSON object per line, in whose objects a field has one meaning wherever it stands. */
final class ListedJsonReader implements JsonLines.LineReader
{
    private static final int HEAD_BYTES = 1 << 16;
    private static final Pattern FRACTION = Pattern.compile("\"timestamp\"\\s*:\\s*\\d+\\.\\d*[1-9]");
    private static final Pattern HEXADECIMAL = Pattern.compile("(?:0x)?([0-9a-fA-F]{1,16})");

    private final Path file;
    private final TraceFormat format;
    private final JsonLines lines;
    private final List<ListedRequest> listed = new ArrayList<>();
    private double time;
    private double delay;
    private String session;
    private long promptTokens;
    private long outputTokens;
    private long[] ids;
    private int tokensPerId;
    private boolean isOther;

    ListedJsonReader(final Path file, final TraceFormat format)
    {
        this.file = file;
        this.format = format;
        lines = new JsonLines(file);
    }

    /** Whether one of the first timestamps is not whole. */
    static boolean hasFractions(final Path file)
    {
        if (InputFile.fault(file) != null)
        {
            return false;
        }
        try
        {
            return FRACTION.matcher(new String(TraceText.head(file, HEAD_BYTES), StandardCharsets.UTF_8)).find();
        }
        catch (final IOException e)
        {
            return false;
        }
    }

    List<ListedRequest> read()
    {
        lines.read(this);
        return listed;
    }

    @Override
    public void begin()
    {
        time = Double.NaN;
        delay = 0;
        session = null;
        promptTokens = -1;
        outputTokens = -1;
        ids = null;
        tokensPerId = 0;
        isOther = false;
    }

    @Override
    public void field(final JsonParser parser, final String name) throws IOException
    {
        switch (name)
        {
            case "timestamp", "request_received_ms", "arrival_us", "request_start_ns" -> time = number(parser, name) *
                (name.equals("request_start_ns") ? 1e-6 : 1);
            case "delay" -> delay = number(parser, name);
            case "session_id", "x_correlation_id", "conversation_id", "session", "conversation" ->
                session = parser.getText();
            case "input_length", "input_tokens", "isl", "prompt_tokens" -> promptTokens = tokens(parser, name);
            case "output_length", "output_tokens", "osl" -> outputTokens = tokens(parser, name);
            case "input_sequence_length" -> promptTokens = metric(parser, name);
            case "output_sequence_length" -> outputTokens = metric(parser, name);
            case "trace_block_size" -> tokensPerId = (int)lines.number(parser, name, 1, 1 << 20);
            case "hash_ids", "input_sequence_hashes" -> ids = ids(parser, name);
            case "event_type" -> isOther = !"request_end".equals(parser.getText());
            case "request", "replay", "metadata", "metrics" -> object(parser, name);
            default -> parser.skipChildren();
        }
    }

    private void object(final JsonParser parser, final String name) throws IOException
    {
        lines.expect(parser, JsonToken.START_OBJECT, name, "an object");
        while (parser.nextToken() == JsonToken.FIELD_NAME)
        {
            final String inner = parser.currentName();
            parser.nextToken();
            field(parser, inner);
        }
    }

    private double number(final JsonParser parser, final String name) throws IOException
    {
        if (parser.currentToken() == JsonToken.VALUE_NULL)
        {
            return Double.NaN;
        }
        lines.scaled(parser, name, 1, Long.MAX_VALUE);
        return parser.getDoubleValue();
    }

    private long tokens(final JsonParser parser, final String name) throws IOException
    {
        return lines.number(parser, name, 0, SizeDistribution.MAX_SIZE);
    }

    /** A figure of AIPerf: a number, or an object with a value. */
    private long metric(final JsonParser parser, final String name) throws IOException
    {
        if (parser.currentToken() != JsonToken.START_OBJECT)
        {
            return lines.scaled(parser, name, 1, SizeDistribution.MAX_SIZE);
        }
        long value = -1;
        while (parser.nextToken() == JsonToken.FIELD_NAME)
        {
            final boolean isValue = parser.currentName().equals("value");
            parser.nextToken();
            if (isValue)
            {
                value = lines.scaled(parser, name, 1, SizeDistribution.MAX_SIZE);
            }
            parser.skipChildren();
        }
        return value;
    }

    private long[] ids(final JsonParser parser, final String name) throws IOException
    {
        if (parser.currentToken() == JsonToken.VALUE_NULL)
        {
            return null;
        }
        lines.expect(parser, JsonToken.START_ARRAY, name, "a list of ids");
        long[] values = new long[64];
        int count = 0;
        while (parser.nextToken() != JsonToken.END_ARRAY)
        {
            values = count == values.length ? Arrays.copyOf(values, 2 * count) : values;
            values[count++] = parser.currentToken() == JsonToken.VALUE_STRING ? ofText(parser.getText()) :
                lines.unsigned(parser, name);
        }
        return Arrays.copyOf(values, count);
    }

    private static long ofText(final String text)
    {
        if (HEXADECIMAL.matcher(text).matches())
        {
            return Long.parseUnsignedLong(text.startsWith("0x") ? text.substring(2) : text, 16);
        }
        long hash = text.length();
        for (int i = 0; i < text.length(); i++)
        {
            hash = SplitMix64.mix(hash, text.charAt(i));
        }
        return hash;
    }

    @Override
    public void end()
    {
        if (isOther)
        {
            return;
        }
        if (promptTokens < 0 || outputTokens < 0)
        {
            throw format.misread(file, "has no length of a " + (promptTokens < 0 ? "prompt" : "answer") + " in line " +
                lines.line());
        }
        if (listed.size() == Workload.MAX_REQUESTS)
        {
            throw lines.tooMany();
        }
        listed.add(new ListedRequest(time, delay, session, (int)Math.max(1, promptTokens), (int)outputTokens, ids,
            tokensPerId));
    }
}
