// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.AcceptedEncoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.RowForm;
import io.signalbox.journal.segment.Envelope;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Makes the runs that the tests journal. Inputs are valid for every scheduler: submits, wakes, ticks and notes. */
public final class Runs
{
    public static final long SMALL_BLOCK = 1 << 18;
    private static final int MESSAGE_START = GroupWriter.LENGTH_BYTES;
    public static final SchedulerConfig CONFIG = SchedulerConfig.builder().ranks(2).kvBlocks(64).digestInterval(64).build();

    private Runs()
    {
    }

    public static JournalConfig options(final Durability durability)
    {
        return new JournalConfig(durability, JournalConfig.SEGMENT_BYTES.defaultValue(), SMALL_BLOCK);
    }

    public static JournalConfig smallSegments(final Durability durability)
    {
        return new JournalConfig(durability, 1 << 16, SMALL_BLOCK);
    }

    public static Map<String, String> settings()
    {
        final Map<String, String> settings = new TreeMap<>(CONFIG.settings());
        settings.put("program.version", "test");
        return settings;
    }

    /** A closed journal of {@code groups} groups that a scheduler decided. */
    public static void write(final Path directory, final int groups, final JournalConfig options)
    {
        try (JournalWriter writer = JournalWriter.create(directory, settings(), options))
        {
            append(writer, groups);
        }
    }

    /** Runs a scheduler over the first {@code groups} inputs and journals what it decides. */
    public static void append(final JournalWriter writer, final int groups)
    {
        append(writer, new Scheduler(CONFIG), 0, groups);
    }

    /** Continues with inputs {@code from} to {@code to}, the last exclusive. */
    public static void append(final GroupJournal writer, final Scheduler scheduler, final int from, final int to)
    {
        append(writer, scheduler, from, to, Runs::encode);
    }

    /** Writes the input of a number, whose time is that many microseconds. */
    @FunctionalInterface
    interface NumberedInput
    {
        void encode(InputWriter input, int number);
    }

    /** The same with other inputs. */
    public static void append(
        final GroupJournal writer, final Scheduler scheduler, final int from, final int to, final NumberedInput inputs)
    {
        final GroupWriter group = new GroupWriter(4096);
        final InputWriter input = new InputWriter();
        for (int i = from; i < to; i++)
        {
            inputs.encode(input, i);
            group.reset();
            scheduler.apply(input.buffer(), 0, input.length(), null, 0, group);
            writer.append(i * 1000L, group.buffer(), 0, group.length(), null);
            writer.endOfBatch();
        }
    }

    private static void encode(final InputWriter input, final int i)
    {
        switch (i % 4)
        {
            case 0 -> submit(input, i);
            case 1 -> input.wake().timeNanos(i * 1000L);
            case 2 -> input.control().timeNanos(i * 1000L).requestId(-1).kind(ControlKind.NOTE).note("note " + i);
            default -> input.tick().timeNanos(i * 1000L);
        }
    }

    private static void submit(final InputWriter input, final int i)
    {
        final byte[] hashes = new byte[2 * Long.BYTES];
        Envelope.putInt64(hashes, 0, 7);
        Envelope.putInt64(hashes, Long.BYTES, i);
        input.submit().timeNanos(i * 1000L).requestId(i).conversationId(-1).predecessorId(-1).thinkTimeNanos(0)
            .deadlineNanos(-1).samplingSeed(i).promptTokens(40).maxNewTokens(3).rowsFrom(-1).priority(0)
            .rankHint(-1).temperature(0).topP(1).rankHintRelaxed(Flag.NO)
            .putBlockHashes(hashes, 0, hashes.length).putCacheKey(hashes, 0, 0).putTokens(hashes, 0, 0)
            .putHashChain(hashes, 0, 0).putStopTokens(hashes, 0, 0);
    }

    /** A group that is one note of this many bytes; no scheduler is asked. */
    static UnsafeBuffer note(final int sequence, final int textBytes)
    {
        final InputWriter input = new InputWriter();
        input.control().timeNanos(sequence).requestId(sequence).kind(ControlKind.NOTE).note("x".repeat(textBytes));
        return group(input);
    }

    /** A group that is one completion whose rows precede it. */
    static UnsafeBuffer completion(final long step, final int rowCount, final int rowBytes)
    {
        final InputWriter input = new InputWriter();
        final D2hCompleteEncoder completion = input.d2hComplete();
        completion.timeNanos(step).step(step).epoch(1).rank(2).rowCount(rowCount).rowBytes(rowBytes)
            .rowsChecksum(0).rowForm(RowForm.CHUNKED);
        completion.entriesCount(0);
        completion.tokensCount(0);
        completion.impossibleRowsCount(0);
        completion.logprobsCount(0);
        completion.putRows(new byte[0], 0, 0);
        return group(input);
    }

    /** A group that is one completion with its rows inside. */
    static UnsafeBuffer inlineCompletion(final long step, final byte[] rows, final int rowCount, final int rowBytes)
    {
        final InputWriter input = new InputWriter();
        final D2hCompleteEncoder completion = input.d2hComplete();
        completion.timeNanos(step).step(step).epoch(1).rank(2).rowCount(rowCount).rowBytes(rowBytes)
            .rowsChecksum(0).rowForm(RowForm.INLINE);
        completion.entriesCount(0);
        completion.tokensCount(0);
        completion.impossibleRowsCount(0);
        completion.logprobsCount(0);
        completion.putRows(rows, 0, rowCount * rowBytes);
        return group(input);
    }

    /** A completion without rows whose form is a number that no version knows. */
    static UnsafeBuffer ofUnknownRowForm(final long step)
    {
        final UnsafeBuffer group = completion(step, 0, 0);
        final int body = MESSAGE_START + MessageHeaderEncoder.ENCODED_LENGTH;
        group.putByte(body + D2hCompleteEncoder.rowFormEncodingOffset(), (byte)215);
        return group;
    }

    /** The input with an Accepted behind it. */
    static UnsafeBuffer withAccepted(final InputWriter input, final long requestId)
    {
        final GroupWriter group = new GroupWriter(256);
        group.append(input.buffer(), 0, input.length());
        final AcceptedEncoder accepted = new AcceptedEncoder();
        accepted.wrapAndApplyHeader(group.buffer(), group.begin(), new MessageHeaderEncoder()).requestId(requestId);
        group.end(MessageHeaderEncoder.ENCODED_LENGTH + accepted.encodedLength());
        return copy(group);
    }

    static UnsafeBuffer group(final InputWriter input)
    {
        final GroupWriter group = new GroupWriter(256);
        group.append(input.buffer(), 0, input.length());
        return copy(group);
    }

    private static UnsafeBuffer copy(final GroupWriter group)
    {
        final byte[] bytes = new byte[group.length()];
        group.buffer().getBytes(0, bytes);
        return new UnsafeBuffer(bytes);
    }

    /** Rows in memory that the journal must not release. */
    record Slice(DirectBuffer buffer, int offset, int rowCount, int rowBytes) implements CaptureSlice
    {
        @Override
        public void release()
        {
            throw new AssertionError("the journal released rows that the engine owns");
        }
    }
}
