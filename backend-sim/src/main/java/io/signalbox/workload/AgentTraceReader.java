// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.signalbox.ConfigException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads a file of agent plays and refuses anything that is not exactly the format. */
final class AgentTraceReader implements JsonLines.LineReader
{
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long NANOS_PER_MILLI = 1_000_000L;
    private static final long MAX_NANOS = NANOS_PER_SECOND * NANOS_PER_SECOND;
    private static final int NOT_GIVEN = -1;

    private final Path file;
    private final JsonLines lines;
    private final List<AgentPlay> plays = new ArrayList<>();
    private int blockTokens;
    private String scope;
    private int toolTokens;
    private int systemTokens;
    private List<AgentPlay.Element> elements;
    private int[] ids = new int[4096];
    private int requests;

    AgentTraceReader(final Path file)
    {
        this.file = file;
        lines = new JsonLines(file);
    }

    List<AgentPlay> read()
    {
        lines.read(this);
        if (plays.isEmpty())
        {
            throw new ConfigException("the trace " + file + " is empty; give a file with one play per line.");
        }
        return plays;
    }

    @Override
    public void begin()
    {
        blockTokens = NOT_GIVEN;
        scope = null;
        toolTokens = NOT_GIVEN;
        systemTokens = NOT_GIVEN;
        elements = null;
    }

    @Override
    public void field(final JsonParser parser, final String name) throws IOException
    {
        switch (name)
        {
            case "block_size" -> blockTokens = (int)lines.number(parser, name, 1, 65_536);
            case "hash_id_scope" -> scope = text(parser, name);
            case "tool_tokens" -> toolTokens = tokens(parser, name, 0);
            case "system_tokens" -> systemTokens = tokens(parser, name, 0);
            case "requests" -> elements = elements(parser, name);
            default -> parser.skipChildren();
        }
    }

    @Override
    public void end()
    {
        lines.require(blockTokens != NOT_GIVEN, "block_size");
        lines.require(scope != null, "hash_id_scope");
        lines.require(toolTokens != NOT_GIVEN, "tool_tokens");
        lines.require(systemTokens != NOT_GIVEN, "system_tokens");
        lines.require(elements != null, "requests");
        if (!scope.equals("local"))
        {
            throw lines.fault("has 'hash_id_scope' with " + TraceFault.printable(scope) +
                " where local belongs: ids of one play");
        }
        if (elements.isEmpty() || !(elements.get(0) instanceof AgentPlay.PlayRequest))
        {
            throw lines.fault("has 'requests' that do not begin with a request");
        }
        checkIds(elements, "requests");
        plays.add(new AgentPlay(lines.line(), blockTokens, new AgentPlay.Agent(toolTokens, systemTokens, elements)));
    }

    private void checkIds(final List<AgentPlay.Element> list, final String path)
    {
        for (int i = 0; i < list.size(); i++)
        {
            final String place = path + "[" + i + "].";
            if (list.get(i) instanceof AgentPlay.SubAgent subAgent)
            {
                checkIds(subAgent.agent().elements(), place + "requests");
            }
            else if (list.get(i) instanceof AgentPlay.PlayRequest request &&
                request.traceBlockIds().length != request.promptTokens() / blockTokens)
            {
                throw lines.fault("has " + request.traceBlockIds().length + " in '" + place + "hash_ids' where in=" +
                    request.promptTokens() + " has " + request.promptTokens() / blockTokens + " full blocks of " +
                    blockTokens + " tokens");
            }
        }
    }

    private List<AgentPlay.Element> elements(final JsonParser parser, final String path) throws IOException
    {
        lines.expect(parser, JsonToken.START_ARRAY, path, "a list of requests");
        final List<AgentPlay.Element> list = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY)
        {
            final String place = path + "[" + list.size() + "]";
            lines.expect(parser, JsonToken.START_OBJECT, place, "an object");
            list.add(new ElementReader(place).read(parser));
        }
        return List.copyOf(list);
    }

    private int tokens(final JsonParser parser, final String name, final int min) throws IOException
    {
        return (int)lines.number(parser, name, min, SizeDistribution.MAX_SIZE);
    }

    private String text(final JsonParser parser, final String name) throws IOException
    {
        lines.expect(parser, JsonToken.VALUE_STRING, name, "a text");
        return parser.getText();
    }

    private int[] ids(final JsonParser parser, final String name) throws IOException
    {
        lines.expect(parser, JsonToken.START_ARRAY, name, "a list of ids");
        int count = 0;
        while (parser.nextToken() != JsonToken.END_ARRAY)
        {
            if (count == ids.length)
            {
                ids = Arrays.copyOf(ids, count * 2);
            }
            ids[count++] = (int)lines.number(parser, name, 0, Integer.MAX_VALUE);
        }
        return Arrays.copyOf(ids, count);
    }

    /** One element of a list of requests; its kind is known once all fields are read. */
    private final class ElementReader
    {
        private final String path;
        private String type;
        private long timeNanos = NOT_GIVEN;
        private long apiNanos = NOT_GIVEN;
        private long thinkNanos = NOT_GIVEN;
        private long durationNanos = NOT_GIVEN;
        private int promptTokens = NOT_GIVEN;
        private int outputTokens = NOT_GIVEN;
        private int ownToolTokens = NOT_GIVEN;
        private int ownSystemTokens = NOT_GIVEN;
        private int[] traceBlockIds;
        private List<AgentPlay.Element> nested;

        private ElementReader(final String path)
        {
            this.path = path;
        }

        private AgentPlay.Element read(final JsonParser parser) throws IOException
        {
            while (parser.nextToken() == JsonToken.FIELD_NAME)
            {
                final String field = parser.currentName();
                parser.nextToken();
                read(parser, field, path + "." + field);
            }
            lines.require(type != null, path + ".type");
            lines.require(timeNanos != NOT_GIVEN, path + ".t");
            return switch (type)
            {
                case "n", "s" -> request();
                case "subagent" -> subAgent();
                default -> throw lines.fault(
                    "has '" + path + ".type' with " + TraceFault.printable(type) + " where n, s or subagent belongs");
            };
        }

        private void read(final JsonParser parser, final String field, final String name) throws IOException
        {
            switch (field)
            {
                case "type" -> type = text(parser, name);
                case "t" -> timeNanos = lines.scaled(parser, name, NANOS_PER_SECOND, MAX_NANOS);
                case "api_time" -> apiNanos = lines.scaled(parser, name, NANOS_PER_SECOND, MAX_NANOS);
                case "think_time" -> thinkNanos = lines.scaled(parser, name, NANOS_PER_SECOND, MAX_NANOS);
                case "duration_ms" -> durationNanos = lines.scaled(parser, name, NANOS_PER_MILLI, MAX_NANOS);
                case "in" -> promptTokens = tokens(parser, name, 1);
                case "out" -> outputTokens = tokens(parser, name, 0);
                case "tool_tokens" -> ownToolTokens = tokens(parser, name, 0);
                case "system_tokens" -> ownSystemTokens = tokens(parser, name, 0);
                case "hash_ids" -> traceBlockIds = ids(parser, name);
                case "requests" -> nested = elements(parser, name);
                default -> parser.skipChildren();
            }
        }

        private AgentPlay.PlayRequest request()
        {
            lines.require(promptTokens != NOT_GIVEN, path + ".in");
            lines.require(outputTokens != NOT_GIVEN, path + ".out");
            lines.require(traceBlockIds != null, path + ".hash_ids");
            if (requests++ == Workload.MAX_REQUESTS)
            {
                throw lines.tooMany();
            }
            return new AgentPlay.PlayRequest(timeNanos, apiNanos, thinkNanos, promptTokens, outputTokens, traceBlockIds);
        }

        private AgentPlay.SubAgent subAgent()
        {
            lines.require(durationNanos != NOT_GIVEN, path + ".duration_ms");
            lines.require(ownToolTokens != NOT_GIVEN, path + ".tool_tokens");
            lines.require(ownSystemTokens != NOT_GIVEN, path + ".system_tokens");
            lines.require(nested != null, path + ".requests");
            return new AgentPlay.SubAgent(
                timeNanos, durationNanos, new AgentPlay.Agent(ownToolTokens, ownSystemTokens, nested));
        }
    }
}
