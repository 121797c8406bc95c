// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * The content of a trace file, read by a second, slow program.
 *
 * @param requests     requests in it.
 * @param outputTokens that they ask for.
 */
record SlowTrace(long requests, long outputTokens)
{
    /** The file is not a whole trace. */
    static final class Unreadable extends Exception
    {
        private static final long serialVersionUID = 1;

        Unreadable(final String message)
        {
            super(message);
        }
    }

    static SlowTrace of(final byte[] file) throws Unreadable
    {
        final byte[] content = GzipFile.isGzip(file) ? GzipFile.content(file) : file;
        if (content == null)
        {
            throw new Unreadable("its gzip data is cut, damaged or followed by something else");
        }
        long requests = 0;
        long outputTokens = 0;
        for (final String line : lines(content))
        {
            if (!line.isBlank())
            {
                final Map<?, ?> object = object(line);
                if (object.containsKey("hash_ids"))
                {
                    requests++;
                    outputTokens += number(object.get("output_length"));
                }
                else
                {
                    final long[] counts = new long[2];
                    count(object, counts);
                    requests += counts[0];
                    outputTokens += counts[1];
                }
            }
        }
        return new SlowTrace(requests, outputTokens);
    }

    private static List<String> lines(final byte[] content) throws Unreadable
    {
        try
        {
            final String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
            return List.of((text.startsWith("\ufeff") ? text.substring(1) : text).split("\r\n|\n|\r"));
        }
        catch (final CharacterCodingException e)
        {
            throw new Unreadable("it is not UTF-8");
        }
    }

    private static Map<?, ?> object(final String line) throws Unreadable
    {
        try
        {
            if (SlowJson.parse(line) instanceof Map<?, ?> object)
            {
                return object;
            }
            throw new Unreadable("a line is no object");
        }
        catch (final SlowJson.NotJson e)
        {
            throw new Unreadable("a line is no JSON: " + e.getMessage());
        }
    }

    /** An agent's elements: requests, and agents that it started. */
    private static void count(final Map<?, ?> agent, final long[] counts) throws Unreadable
    {
        if (!(agent.get("requests") instanceof List<?> elements))
        {
            throw new Unreadable("an agent has no requests");
        }
        for (final Object element : elements)
        {
            if (!(element instanceof Map<?, ?> fields))
            {
                throw new Unreadable("an element is no object");
            }
            if ("\"subagent\"".equals(fields.get("type")))
            {
                count(fields, counts);
            }
            else
            {
                counts[0]++;
                counts[1] += number(fields.get("out"));
            }
        }
    }

    private static long number(final Object value) throws Unreadable
    {
        try
        {
            return Long.parseLong(value instanceof SlowJson.Word word ? word.text() : "none");
        }
        catch (final NumberFormatException e)
        {
            throw new Unreadable("a count of tokens is " + value);
        }
    }
}
