// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.ConfigException;
import io.signalbox.DocumentSchema;
import io.signalbox.config.Setting;
import io.signalbox.inspect.JournaledRequest;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.journal.JournalRetention;
import io.signalbox.workload.MooncakeTrace;
import io.signalbox.workload.SplitMix64;
import io.signalbox.workload.VirtualTime;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Writes the requests of a journal as lines of a trace. */
public final class TraceFile implements Consumer<JournaledRequest>, FileOfJournal
{
    public static final Setting<TraceForm> FORMAT = Setting.constant("format", TraceForm.SIGNALBOX,
        "The form of the lines: SIGNALBOX has every field exactly, MOONCAKE milliseconds and an id per 512 prompt tokens.")
        .option("--format", "FORM", "Write every field exactly (signalbox), or milliseconds and an id per 512 tokens of " +
            "prompt, as other simulators read them (mooncake)");
    public static final List<Setting<?>> SETTINGS = List.of(FORMAT);

    private static final long NANOS_PER_MILLI = 1_000_000L;

    private final JsonGenerator json;
    private final NewFile file;
    private final TraceForm form;
    private final int blockTokens;
    private final boolean isVirtualTime;
    private long originNanos;
    private long requests;
    private long promptTokens;
    private long outputTokens;
    /** Blocks that decoding filled, and how many of them have hashes in the file. */
    private long answerBlocks;
    private long answerBlocksWritten;

    /**
     * @param blockTokens   block size of the journal's run.
     * @param isVirtualTime whether the run began at time 0; else the first Submit does.
     */
    public TraceFile(final NewFile file, final TraceForm form, final int blockTokens, final boolean isVirtualTime)
    {
        this.file = file;
        this.form = form;
        this.blockTokens = blockTokens;
        this.isVirtualTime = isVirtualTime;
        try
        {
            json = new JsonFactory().createGenerator(file);
            json.setRootValueSeparator(null);
        }
        catch (final IOException e)
        {
            throw new IllegalStateException("a generator was refused", e);
        }
    }

    @Override
    public void accept(final JournaledRequest request)
    {
        if (requests == 0)
        {
            originNanos = isVirtualTime ? 0 : request.submitNanos();
        }
        final long arrivalNanos = Math.max(0, request.submitNanos() - originNanos);
        if (arrivalNanos > VirtualTime.MAX_NANOS)
        {
            throw new ConfigException("request " + request.requestId() + " came " + arrivalNanos / 1_000_000_000L +
                " s after the first one, and a simulation ends after " + VirtualTime.MAX_NANOS / 1_000_000_000L +
                " s; give a journal of less time.");
        }
        try
        {
            json.writeStartObject();
            if (form == TraceForm.MOONCAKE)
            {
                mooncake(request, arrivalNanos);
            }
            else
            {
                signalbox(request, arrivalNanos);
            }
            json.writeEndObject();
            json.writeRaw('\n');
            json.flush();
        }
        catch (final IOException e)
        {
            throw new IllegalStateException("a line was refused", e);
        }
        requests++;
        promptTokens += request.promptTokens();
        outputTokens += request.outputTokens();
        answerBlocks += request.answerHashes().length;
    }

    private void signalbox(final JournaledRequest request, final long arrivalNanos) throws IOException
    {
        json.writeNumberField("id", request.requestId());
        json.writeNumberField("arrival_ns", arrivalNanos);
        if (request.predecessorId() >= 0)
        {
            json.writeNumberField("predecessor", request.predecessorId());
            json.writeNumberField("think_ns", request.thinkTimeNanos());
        }
        if (request.conversationId() >= 0)
        {
            json.writeNumberField("conversation", request.conversationId());
        }
        if (request.cancelAfterNanos() >= 0)
        {
            json.writeNumberField("cancel_after_ns", request.cancelAfterNanos());
        }
        if (!request.tenant().isEmpty())
        {
            json.writeStringField("tenant", request.tenant());
        }
        json.writeNumberField("prompt_tokens", request.promptTokens());
        json.writeNumberField("output_tokens", request.outputTokens());
        json.writeNumberField("block_tokens", blockTokens);
        json.writeFieldName("blocks");
        json.writeArray(request.blockHashes(), 0, request.blockHashes().length);
        final long named = Arrays.stream(request.answerHashes()).filter(hash -> hash != 0).count();
        if (named > 0)
        {
            json.writeFieldName("answer_blocks");
            json.writeArray(request.answerHashes(), 0, request.answerHashes().length);
            answerBlocksWritten += named;
        }
    }

    private void mooncake(final JournaledRequest request, final long arrivalNanos) throws IOException
    {
        json.writeNumberField("timestamp", arrivalNanos / NANOS_PER_MILLI);
        json.writeNumberField("input_length", request.promptTokens());
        json.writeNumberField("output_length", request.outputTokens());
        json.writeArrayFieldStart("hash_ids");
        final int size = MooncakeTrace.TRACE_BLOCK_TOKENS;
        for (int begin = 0; begin < request.promptTokens(); begin += size)
        {
            json.writeNumber(traceBlockId(request, begin, Math.min(begin + size, request.promptTokens())));
        }
        json.writeEndArray();
    }

    /**
     * The block that holds the last known token of a trace block names the prefix up to it. A trace block of which no block
     * is known, the end of a prompt, is the request's alone.
     */
    private long traceBlockId(final JournaledRequest request, final int begin, final int end)
    {
        final long[] hashes = request.blockHashes();
        final int last = Math.min((end - 1) / blockTokens, hashes.length - 1);
        final boolean isKnown = last >= 0 && (last + 1L) * blockTokens > begin;
        final long id = isKnown ? SplitMix64.mix(hashes[last], end) : SplitMix64.mix(-1 - requests, end);
        return id & Long.MAX_VALUE >>> 1;
    }

    @Override
    public String json(final Path journal, final Path out, final JournalEnd end)
    {
        return JsonDocument.text(new TraceDocument(journal, out, form, end, JournalRetention.firstRecord(journal), requests,
            promptTokens, outputTokens, answerBlocks, answerBlocks - answerBlocksWritten, file.bytes()));
    }

    /**
     * {@code trace --json}.
     *
     * @param path                directory of the journal
     * @param out                 the trace
     * @param format              form of the trace
     * @param journalEnd          how the journal ends
     * @param firstRecord         first record that the journal has; 0: all are there
     * @param requests            lines of the trace
     * @param promptTokens        their prompt tokens
     * @param outputTokens        tokens that they ask for, or generated before they stopped by themselves
     * @param answerBlocks        blocks that decoding filled and that a later prompt could share
     * @param answerBlocksLeftOut answer blocks that the trace does not name: all with {@code mooncake}, else the blocks
     *                            without a hash in the journal
     * @param bytes               bytes of the trace, before compression
     */
    @DocumentSchema("signalbox.trace/1")
    record TraceDocument(
        Path path,
        Path out,
        TraceForm format,
        JournalEnd journalEnd,
        long firstRecord,
        long requests,
        long promptTokens,
        long outputTokens,
        long answerBlocks,
        long answerBlocksLeftOut,
        long bytes)
    {
    }

    @Override
    public void print(final PrintStream out, final JournalEnd end)
    {
        out.printf("%-18s%s%n", "requests", Decimals.grouped(requests) + " with " + Decimals.grouped(promptTokens) +
            " prompt tokens and " + Decimals.grouped(outputTokens) + " tokens to generate");
        out.printf("%-18s%s%n", "answers", answers());
        out.printf("%-18s%s%n", "trace", Decimals.bytes(file.bytes()));
        out.printf("%-18s%s%n", "journal", JournalEndText.of(end));
    }

    /** A prompt that continues an answer finds the blocks of the answer by their hashes. */
    private String answers()
    {
        final long leftOut = answerBlocks - answerBlocksWritten;
        return Decimals.counted(answerBlocks, "block") + " filled by decoding" + (leftOut == 0 ? "" : ", " +
            Decimals.grouped(leftOut) + " of them not in the trace: " + (form == TraceForm.MOONCAKE
                ? "this form names blocks of prompts only" : "the journal has no hash for them") +
            "; a prompt that continues these answers computes them again");
    }

    @Override
    public void publish(final Path journal)
    {
        if (requests == 0)
        {
            throw new ConfigException(journal + " holds no request, so there is no trace to write; give another journal.");
        }
        file.publish();
    }
}
