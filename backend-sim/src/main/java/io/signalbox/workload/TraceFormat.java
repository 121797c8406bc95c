// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import io.signalbox.files.InputFile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The formats of trace files. */
public enum TraceFormat
{
    /** One request per line; see {@link MooncakeTrace}. */
    MOONCAKE("mooncake", "JSONL with timestamp, input_length, output_length, hash_ids"),
    /** As {@link #MOONCAKE}; a line has the new tokens of a session's turn, and times may have fractions. */
    MOONCAKE_DELTA("mooncake-delta", "JSONL with session_id, and input_length of the new tokens of a turn"),
    /** One play of a coding agent per line; see {@link AgentPlays}. */
    AGENT("agent", "JSONL with requests, one play of a coding agent per line"),
    AZURE("azure", "CSV with TIMESTAMP, ContextTokens, GeneratedTokens"),
    BURSTGPT("burstgpt", "CSV with Timestamp, Request tokens, Response tokens"),
    SHAREGPT("sharegpt", "a JSON array of conversations"),
    BAILIAN("bailian", "JSONL with chat_id, timestamp in seconds, hash_ids of 16 tokens each"),
    AIPERF("aiperf", "JSONL of AIPerf's inputs (session_id, delay) or records (metadata, metrics)"),
    VLLM_BENCH("vllm-bench", "the detailed result of 'vllm bench serve', with input_lens and output_lens"),
    DYNAMO("dynamo", "JSONL of dynamo.request.trace.v1"),
    /** One request of a journal per line; see {@link RequestTrace}. */
    REQUESTS("signalbox", "JSONL that 'signalbox trace' writes, or with arrival_us and without blocks");

    private static final int HEAD_BYTES = 1 << 16;
    private static final int SHOWN = 60;

    private final String label;
    private final String description;

    TraceFormat(final String label, final String description)
    {
        this.label = label;
        this.description = description;
    }

    /** The name on the command line. */
    public String label()
    {
        return label;
    }

    /** @throws ConfigException that lists the formats. */
    public static TraceFormat parse(final String label)
    {
        return Arrays.stream(values()).filter(format -> format.label.equals(label)).findFirst().orElseThrow(() ->
            ConfigException.of("trace-format", label, "auto or one of " + labels(), "give one of these formats"));
    }

    public static String labels()
    {
        return Arrays.stream(values()).map(TraceFormat::label).collect(Collectors.joining(", "));
    }

    /** Every format with its files, as the part of a sentence. */
    static String descriptions()
    {
        return Arrays.stream(values()).map(format -> format.label + " (" + format.description + ")")
            .collect(Collectors.joining(", "));
    }

    /** By the first line, not by the name; a file that is none counts as Mooncake, whose reader says what is wrong. */
    public static TraceFormat of(final Path file)
    {
        final String head = head(file);
        final String first = head.lines().findFirst().orElse("").replace("\uFEFF", "").strip();
        if (head.stripLeading().startsWith("[") && head.contains("\"conversations\""))
        {
            return SHAREGPT;
        }
        if (first.startsWith("{"))
        {
            return ofJson(file, head);
        }
        return first.contains("ContextTokens") ? AZURE : first.contains("Request tokens") ? BURSTGPT : MOONCAKE;
    }

    private static TraceFormat ofJson(final Path file, final String head)
    {
        if (head.contains("\"input_lens\"") && head.contains("\"output_lens\"") || head.contains("\"benchmark_duration\"") ||
            JsonLines.firstLineHas(file, "input_lens"))
        {
            return VLLM_BENCH;
        }
        if (JsonLines.firstLineHas(file, "requests"))
        {
            return AGENT;
        }
        if (JsonLines.firstLineHas(file, "arrival_ns") || JsonLines.firstLineHas(file, "arrival_us"))
        {
            return REQUESTS;
        }
        if (JsonLines.firstLineHas(file, "chat_id"))
        {
            return BAILIAN;
        }
        if (head.contains("\"dynamo.request.trace"))
        {
            return DYNAMO;
        }
        final boolean isAiperf = JsonLines.firstLineHas(file, "metadata") && JsonLines.firstLineHas(file, "metrics") ||
            JsonLines.firstLineHas(file, "session_id") || JsonLines.firstLineHas(file, "delay");
        return isAiperf ? AIPERF : MOONCAKE;
    }

    private static String head(final Path file)
    {
        if (InputFile.fault(file) != null)
        {
            return "";
        }
        try
        {
            return new String(TraceText.head(file, HEAD_BYTES), StandardCharsets.UTF_8);
        }
        catch (final IOException e)
        {
            return "";
        }
    }

    /** What a file that cannot be read in this format looks like, in one sentence with the formats that exist. */
    ConfigException misread(final Path file, final String fault)
    {
        final String begin = head(file).lines().findFirst().orElse("");
        final TraceFormat detected = of(file);
        final String looks = detected == this ? "begins with '" +
            TraceFault.printable(begin.substring(0, Math.min(SHOWN, begin.length()))) + "'" : "looks like " + detected.label;
        return new ConfigException("the trace " + file + ", read as " + label + ", " + fault + "; the file " + looks +
            "; give the --trace-format that it has: " + descriptions() + ".");
    }
}
