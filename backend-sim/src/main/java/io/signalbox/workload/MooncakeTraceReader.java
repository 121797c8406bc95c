// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.signalbox.ConfigException;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** Reads one Mooncake trace and refuses anything that is not exactly the format. */
final class MooncakeTraceReader
{
    private static final int GZIP_MAGIC_FIRST = 0x1f;
    private static final int GZIP_MAGIC_SECOND = 0x8b;
    private static final char BYTE_ORDER_MARK = '\uFEFF';
    private static final int BUFFER_BYTES = 1 << 16;
    private static final long NANOS_PER_MILLI = 1_000_000L;
    private static final long MAX_TIMESTAMP_MILLIS = Long.MAX_VALUE / NANOS_PER_MILLI / 2;

    private final JsonFactory json = JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
    private final Path file;
    private final List<WorkloadRequest> requests = new ArrayList<>();
    private final List<long[]> traceBlockIds = new ArrayList<>();
    private int line;
    /** The first of the blank lines that were read last; 0: none. */
    private int blankLine;
    private long timestampMillis;
    private long inputTokens;
    private long outputTokens;
    private long[] ids = new long[256];
    private int idCount;

    MooncakeTraceReader(final Path file)
    {
        this.file = file;
    }

    MooncakeTrace read()
    {
        if (!Files.isRegularFile(file))
        {
            throw new ConfigException(
                "the trace " + file + " is not there or is not a file; give the path of a JSONL file.");
        }
        try (InputStream bytes = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES);
            BufferedReader lines = open(bytes))
        {
            for (String text = lines.readLine(); text != null; text = lines.readLine())
            {
                line++;
                readLine(text);
            }
        }
        catch (final IOException e)
        {
            throw new ConfigException("the trace " + file + " cannot be read after line " + line + " (" +
                TraceFault.reason(e) + "); give an undamaged JSONL file, plain or gzipped.");
        }
        if (requests.isEmpty())
        {
            throw new ConfigException("the trace " + file + " is empty; give a file with one request per line.");
        }
        return new MooncakeTrace(file, requests, traceBlockIds);
    }

    private static BufferedReader open(final InputStream bytes) throws IOException
    {
        bytes.mark(2);
        final boolean gzipped = bytes.read() == GZIP_MAGIC_FIRST && bytes.read() == GZIP_MAGIC_SECOND;
        bytes.reset();
        final InputStream text = gzipped ? new GZIPInputStream(bytes, BUFFER_BYTES) : bytes;
        // A decoder of its own reports bytes that are not UTF-8; the charset's name alone would replace them.
        return new BufferedReader(new InputStreamReader(text, StandardCharsets.UTF_8.newDecoder()), BUFFER_BYTES);
    }

    /** Blank lines may only end the file; a byte order mark may only begin it. */
    private void readLine(final String text)
    {
        if (text.isBlank())
        {
            blankLine = blankLine == 0 ? line : blankLine;
            return;
        }
        if (blankLine != 0)
        {
            line = blankLine;
            throw fault("is empty");
        }
        readRequest(line == 1 && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text);
    }

    private void readRequest(final String text)
    {
        timestampMillis = -1;
        inputTokens = -1;
        outputTokens = -1;
        idCount = -1;
        try (JsonParser parser = json.createParser(text))
        {
            if (parser.nextToken() != JsonToken.START_OBJECT)
            {
                throw fault("is not a JSON object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME)
            {
                readField(parser);
            }
            if (parser.nextToken() != null)
            {
                throw fault("has something after its JSON object");
            }
        }
        catch (final JsonProcessingException e)
        {
            throw fault("column " + e.getLocation().getColumnNr() + ", is not valid JSON (" + TraceFault.reason(e) + ")");
        }
        catch (final IOException e)
        {
            throw fault("cannot be parsed (" + TraceFault.reason(e) + ")");
        }
        addRequest();
    }

    private void readField(final JsonParser parser) throws IOException
    {
        final String name = parser.currentName();
        parser.nextToken();
        switch (name)
        {
            case "timestamp" -> timestampMillis = number(parser, name, 0, MAX_TIMESTAMP_MILLIS);
            case "input_length" -> inputTokens = number(parser, name, 1, SizeDistribution.MAX_SIZE);
            case "output_length" -> outputTokens = number(parser, name, 0, SizeDistribution.MAX_SIZE);
            case "hash_ids" -> readIds(parser, name);
            default -> parser.skipChildren();
        }
    }

    private void readIds(final JsonParser parser, final String name) throws IOException
    {
        if (parser.currentToken() != JsonToken.START_ARRAY)
        {
            throw fault("has '" + name + "' that is not a list of ids");
        }
        idCount = 0;
        while (parser.nextToken() != JsonToken.END_ARRAY)
        {
            if (idCount == ids.length)
            {
                ids = Arrays.copyOf(ids, idCount * 2);
            }
            ids[idCount++] = number(parser, name, 0, Long.MAX_VALUE);
        }
    }

    private long number(final JsonParser parser, final String name, final long min, final long max) throws IOException
    {
        final JsonToken token = parser.currentToken();
        if (token == null || token == JsonToken.END_OBJECT || token == JsonToken.NOT_AVAILABLE)
        {
            throw fault("ends within '" + name + "'");
        }
        if (token != JsonToken.VALUE_NUMBER_INT || parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER)
        {
            throw fault("has '" + name + "' with " + parser.getText() + " where a whole number belongs");
        }
        final long value = parser.getLongValue();
        if (value < min || value > max)
        {
            throw fault("has '" + name + "' with " + value + ", which is not between " + min + " and " + max);
        }
        return value;
    }

    private void addRequest()
    {
        require(timestampMillis >= 0, "timestamp");
        require(inputTokens >= 0, "input_length");
        require(outputTokens >= 0, "output_length");
        require(idCount >= 0, "hash_ids");
        final long expected = (inputTokens + MooncakeTrace.TRACE_BLOCK_TOKENS - 1) / MooncakeTrace.TRACE_BLOCK_TOKENS;
        if (idCount != expected)
        {
            throw fault("has " + idCount + " hash_ids where input_length=" + inputTokens + " needs " + expected +
                ", one per " + MooncakeTrace.TRACE_BLOCK_TOKENS + " tokens");
        }
        requests.add(new WorkloadRequest(
            line, timestampMillis * NANOS_PER_MILLI, -1, 0, -1, (int)inputTokens, (int)outputTokens, -1));
        traceBlockIds.add(Arrays.copyOf(ids, idCount));
    }

    private void require(final boolean present, final String name)
    {
        if (!present)
        {
            throw fault("has no '" + name + "'");
        }
    }

    private ConfigException fault(final String what)
    {
        return new ConfigException("the trace " + file + ", line " + line + ", " + what + "; correct or remove the line.");
    }
}
