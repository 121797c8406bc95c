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

/** Reads one Mooncake trace and refuses anything that is not exactly the format. */
final class MooncakeTraceReader implements JsonLines.LineReader
{
    private static final int MOST_BLOCK_BITS = 16;
    private static final long NANOS_PER_MILLI = 1_000_000L;
    private static final long MAX_TIMESTAMP_MILLIS = VirtualTime.MAX_NANOS / NANOS_PER_MILLI;

    private final Path file;
    private final JsonLines lines;
    private final List<WorkloadRequest> requests = new ArrayList<>();
    private final List<long[]> traceBlockIds = new ArrayList<>();
    private long timestampMillis;
    private long inputTokens;
    private long outputTokens;
    private long[] ids = new long[256];
    private int idCount;
    /** Bit n: all lines so far have an id per 2^n tokens of prompt. */
    private int blockSizes = (1 << MOST_BLOCK_BITS + 1) - 1;

    MooncakeTraceReader(final Path file)
    {
        this.file = file;
        lines = new JsonLines(file);
    }

    MooncakeTrace read()
    {
        lines.read(this);
        if (requests.isEmpty())
        {
            throw new ConfigException("the trace " + file + " is empty; give a file with one request per line.");
        }
        return new MooncakeTrace(file, blockTokens(), requests, traceBlockIds);
    }

    @Override
    public void begin()
    {
        timestampMillis = -1;
        inputTokens = -1;
        outputTokens = -1;
        idCount = -1;
    }

    @Override
    public void field(final JsonParser parser, final String name) throws IOException
    {
        switch (name)
        {
            case "timestamp" -> timestampMillis = lines.number(parser, name, 0, MAX_TIMESTAMP_MILLIS);
            case "input_length" -> inputTokens = lines.number(parser, name, 1, SizeDistribution.MAX_SIZE);
            case "output_length" -> outputTokens = lines.number(parser, name, 0, SizeDistribution.MAX_SIZE);
            case "hash_ids" -> readIds(parser, name);
            default -> parser.skipChildren();
        }
    }

    private void readIds(final JsonParser parser, final String name) throws IOException
    {
        lines.expect(parser, JsonToken.START_ARRAY, name, "a list of ids");
        idCount = 0;
        while (parser.nextToken() != JsonToken.END_ARRAY)
        {
            if (idCount == ids.length)
            {
                ids = Arrays.copyOf(ids, idCount * 2);
            }
            ids[idCount++] = lines.unsigned(parser, name);
        }
    }

    /** The number of ids of a prompt determines the tokens per id, unless the prompt has one block. */
    private void narrowBlockSizes()
    {
        int fitting = 0;
        for (int bits = 0; bits <= MOST_BLOCK_BITS; bits++)
        {
            fitting |= idsOf(bits) == idCount ? blockSizes & 1 << bits : 0;
        }
        if (fitting == 0)
        {
            final int tokens = blockTokens();
            throw lines.fault("has " + idCount + " hash_ids where input_length=" + inputTokens + " needs " +
                (inputTokens + tokens - 1) / tokens + ", one per " + tokens + " tokens",
                "correct the line, or give a trace whose ids stand for 1, 2, 4, ... or " + (1 << MOST_BLOCK_BITS) +
                " tokens");
        }
        blockSizes = fitting;
    }

    private long idsOf(final int blockBits)
    {
        return inputTokens + (1L << blockBits) - 1 >> blockBits;
    }

    /** 512, as in the published traces, if that fits all lines; else the smallest size that fits. */
    private int blockTokens()
    {
        final boolean isUsual = (blockSizes & MooncakeTrace.TRACE_BLOCK_TOKENS) != 0;
        return isUsual ? MooncakeTrace.TRACE_BLOCK_TOKENS : Integer.lowestOneBit(blockSizes);
    }

    @Override
    public void end()
    {
        lines.require(timestampMillis >= 0, "timestamp");
        lines.require(inputTokens >= 0, "input_length");
        lines.require(outputTokens >= 0, "output_length");
        lines.require(idCount >= 0, "hash_ids");
        narrowBlockSizes();
        if (requests.size() == Workload.MAX_REQUESTS)
        {
            throw lines.tooMany();
        }
        requests.add(WorkloadRequest.arriving(lines.line(), timestampMillis * NANOS_PER_MILLI, (int)inputTokens,
            (int)outputTokens));
        traceBlockIds.add(Arrays.copyOf(ids, idCount));
    }
}
