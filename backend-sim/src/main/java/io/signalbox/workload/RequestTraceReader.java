// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.signalbox.ConfigException;
import org.agrona.collections.Long2LongHashMap;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads one trace of requests and refuses anything that is not exactly the format. */
final class RequestTraceReader implements JsonLines.LineReader
{
    private static final int NONE = -1;
    private static final long[] NO_BLOCKS = {};
    private static final int MOST_BLOCK_TOKENS = 1 << 20;

    private final Path file;
    private final JsonLines lines;
    private final List<WorkloadRequest> requests = new ArrayList<>();
    private final List<RequestTrace.Prompt> prompts = new ArrayList<>();
    /** The latest line of each id. */
    private final Long2LongHashMap lineOfId = new Long2LongHashMap(NONE);
    /** Few tenants send many requests. */
    private final Map<String, String> tenants = new HashMap<>();
    private long id;
    private long arrivalNanos;
    private long predecessorId;
    private long thinkNanos;
    private long conversationId;
    private long cancelNanos;
    private long promptTokens;
    private long outputTokens;
    private long blockTokens;
    private String tenant;
    private long[] read = new long[256];
    private long[] blocks;
    private long[] answerBlocks;

    RequestTraceReader(final Path file)
    {
        this.file = file;
        lines = new JsonLines(file);
    }

    RequestTrace read()
    {
        lines.read(this);
        if (requests.isEmpty())
        {
            throw new ConfigException("the trace " + file + " is empty; give a file with one request per line.");
        }
        return new RequestTrace(file, requests, prompts);
    }

    @Override
    public void begin()
    {
        id = NONE;
        arrivalNanos = NONE;
        predecessorId = NONE;
        thinkNanos = 0;
        conversationId = NONE;
        cancelNanos = NONE;
        promptTokens = NONE;
        outputTokens = NONE;
        blockTokens = NONE;
        tenant = "";
        blocks = null;
        answerBlocks = NO_BLOCKS;
    }

    @Override
    public void field(final JsonParser parser, final String name) throws IOException
    {
        switch (name)
        {
            case "id" -> id = lines.number(parser, name, 0, Long.MAX_VALUE);
            case "arrival_ns" -> arrivalNanos = lines.number(parser, name, 0, VirtualTime.MAX_NANOS);
            case "predecessor" -> predecessorId = lines.number(parser, name, 0, Long.MAX_VALUE);
            case "think_ns" -> thinkNanos = lines.number(parser, name, 0, VirtualTime.MAX_NANOS);
            case "conversation" -> conversationId = lines.number(parser, name, 0, Long.MAX_VALUE);
            case "cancel_after_ns" -> cancelNanos = lines.number(parser, name, 0, VirtualTime.MAX_NANOS);
            case "prompt_tokens" -> promptTokens = lines.number(parser, name, 1, SizeDistribution.MAX_SIZE);
            case "output_tokens" -> outputTokens = lines.number(parser, name, 0, SizeDistribution.MAX_SIZE);
            case "block_tokens" -> blockTokens = lines.number(parser, name, 1, MOST_BLOCK_TOKENS);
            case "blocks" -> blocks = readBlocks(parser, name, 1);
            case "answer_blocks" -> answerBlocks = readBlocks(parser, name, 0);
            case "tenant" -> readTenant(parser, name);
            default -> parser.skipChildren();
        }
    }

    private long[] readBlocks(final JsonParser parser, final String name, final long least) throws IOException
    {
        lines.expect(parser, JsonToken.START_ARRAY, name, "a list of hashes");
        int count = 0;
        while (parser.nextToken() != JsonToken.END_ARRAY)
        {
            if (count == read.length)
            {
                read = Arrays.copyOf(read, count * 2);
            }
            read[count++] = lines.number(parser, name, least, Long.MAX_VALUE);
        }
        return Arrays.copyOf(read, count);
    }

    private void readTenant(final JsonParser parser, final String name) throws IOException
    {
        lines.expect(parser, JsonToken.VALUE_STRING, name, "a text");
        final String text = parser.getText();
        tenant = tenants.computeIfAbsent(text, same -> same);
    }

    @Override
    public void end()
    {
        lines.require(arrivalNanos >= 0, "arrival_ns");
        lines.require(promptTokens >= 0, "prompt_tokens");
        lines.require(outputTokens >= 0, "output_tokens");
        lines.require(blockTokens >= 0, "block_tokens");
        lines.require(blocks != null, "blocks");
        if (blocks.length > promptTokens / blockTokens)
        {
            throw lines.fault("has " + blocks.length + " blocks of " + blockTokens + " tokens, more than prompt_tokens=" +
                promptTokens + " fill");
        }
        final long answered = (promptTokens + outputTokens) / blockTokens - promptTokens / blockTokens;
        if (answerBlocks.length > answered)
        {
            throw lines.fault("has " + answerBlocks.length + " answer_blocks of " + blockTokens + " tokens, more than the " +
                answered + " that output_tokens=" + outputTokens + " behind prompt_tokens=" + promptTokens + " fill");
        }
        if (requests.size() == Workload.MAX_REQUESTS)
        {
            throw lines.tooMany();
        }
        final long predecessor = predecessorId == NONE ? NONE : lineOfId.get(predecessorId);
        final WorkloadRequest request = predecessor == NONE ?
            WorkloadRequest.arriving(lines.line(), arrivalNanos, (int)promptTokens, (int)outputTokens) :
            WorkloadRequest.following(lines.line(), predecessor, thinkNanos, (int)promptTokens, (int)outputTokens);
        requests.add(request.ofConversation(conversationId).cancelledAfter(cancelNanos));
        prompts.add(new RequestTrace.Prompt(
            (int)blockTokens, (int)(promptTokens / blockTokens), blocks, answerBlocks, tenant));
        if (id != NONE)
        {
            lineOfId.put(id, lines.line());
        }
    }
}
