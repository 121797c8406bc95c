// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.ConfigException;
import io.signalbox.DocumentSchema;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.inspect.TimeWindow;
import io.signalbox.inspect.TimelineReceiver;
import io.signalbox.journal.JournalRetention;
import org.agrona.collections.LongArrayList;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Writes a timeline as a Perfetto trace: a message {@code Trace} of track descriptors and track events. Each rank has a
 * track of steps and two counters; a request is a flow from its Submit over the steps that admit it, give its first token
 * and end it.
 */
public final class PerfettoFile implements TimelineReceiver, FileOfJournal
{
    private static final int TRACE_PACKET = 1;
    private static final int PACKET_TIMESTAMP = 8;
    private static final int PACKET_SEQUENCE_ID = 10;
    private static final int PACKET_TRACK_EVENT = 11;
    private static final int PACKET_TRACK_DESCRIPTOR = 60;
    private static final int TRACK_UUID = 1;
    private static final int TRACK_NAME = 2;
    private static final int TRACK_PARENT_UUID = 5;
    private static final int TRACK_COUNTER = 8;
    private static final int COUNTER_UNIT_NAME = 6;
    private static final int EVENT_ANNOTATION = 4;
    private static final int EVENT_TYPE = 9;
    private static final int EVENT_TRACK_UUID = 11;
    private static final int EVENT_NAME = 23;
    private static final int EVENT_COUNTER_VALUE = 30;
    private static final int EVENT_FLOW_ID = 47;
    private static final int ANNOTATION_INT = 4;
    private static final int ANNOTATION_NAME = 10;
    private static final int SLICE_BEGIN = 1;
    private static final int SLICE_END = 2;
    private static final int INSTANT = 3;
    private static final int COUNTER = 4;

    /** Ahead of the number of a step. */
    private static final byte[] STEP = "step ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ENTRIES = "entries".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] TOKENS = "tokens".getBytes(StandardCharsets.US_ASCII);
    private static final int SEQUENCE = 1;
    private static final long RUN_TRACK = 1;
    private static final long FIRST_RANK_TRACK = 16;
    private static final long TRACKS_PER_RANK = 4;
    private static final long BLOCKS = 1;
    private static final long RUNNING = 2;

    private final NewFile file;
    private final TimeWindow window;
    private final ProtoBytes packet = new ProtoBytes();
    private final ProtoBytes body = new ProtoBytes();
    private final ProtoBytes part = new ProtoBytes();
    private final ProtoBytes trace = new ProtoBytes();
    private long steps;
    private long marks;
    private long openSteps;
    private int ranks;

    /** @param window the part of the journal that is drawn. */
    public PerfettoFile(final NewFile file, final TimeWindow window)
    {
        this.file = file;
        this.window = window;
    }

    private static long track(final int rank)
    {
        return rank < 0 ? RUN_TRACK : FIRST_RANK_TRACK + rank * TRACKS_PER_RANK;
    }

    @Override
    public void onRun(final int ranksOfRun)
    {
        ranks = ranksOfRun;
        describe(RUN_TRACK, 0, "requests", null);
        for (int rank = 0; rank < ranks; rank++)
        {
            describe(track(rank), 0, "rank " + rank, null);
            describe(track(rank) + BLOCKS, track(rank), "rank " + rank + ": KV blocks in use", "blocks");
            describe(track(rank) + RUNNING, track(rank), "rank " + rank + ": running requests", "requests");
        }
    }

    /** @param unit {@code null} if the track is no counter. */
    private void describe(final long uuid, final long parent, final String name, final String unit)
    {
        body.clear().number(TRACK_UUID, uuid).text(TRACK_NAME, name);
        if (parent != 0)
        {
            body.number(TRACK_PARENT_UUID, parent);
        }
        if (unit != null)
        {
            body.message(TRACK_COUNTER, part.clear().text(COUNTER_UNIT_NAME, unit));
        }
        packet.clear().message(PACKET_TRACK_DESCRIPTOR, body);
        write();
    }

    @Override
    public void onStep(
        final int rank,
        final long step,
        final long beginNanos,
        final long endNanos,
        final int entries,
        final int tokens,
        final LongArrayList requests)
    {
        body.clear().number(EVENT_TYPE, SLICE_BEGIN).number(EVENT_TRACK_UUID, track(rank)).text(EVENT_NAME, STEP, step);
        annotate(ENTRIES, entries);
        annotate(TOKENS, tokens);
        for (int i = 0; i < requests.size(); i++)
        {
            body.fixed64(EVENT_FLOW_ID, flow(requests.getLong(i)));
        }
        event(beginNanos);
        body.clear().number(EVENT_TYPE, SLICE_END).number(EVENT_TRACK_UUID, track(rank));
        event(endNanos);
        steps++;
    }

    private void annotate(final byte[] name, final long value)
    {
        body.message(EVENT_ANNOTATION, part.clear().text(ANNOTATION_NAME, name).number(ANNOTATION_INT, value));
    }

    /** 0 is no flow. */
    private static long flow(final long requestId)
    {
        return requestId + 1;
    }

    @Override
    public void onMark(final int rank, final long nanos, final String name, final long requestId)
    {
        body.clear().number(EVENT_TYPE, INSTANT).number(EVENT_TRACK_UUID, track(rank)).text(EVENT_NAME, name);
        if (requestId != NO_REQUEST)
        {
            body.fixed64(EVENT_FLOW_ID, flow(requestId));
        }
        event(nanos);
        marks++;
    }

    @Override
    public void onFigures(final int rank, final long nanos, final long blocksInUse, final long runningRequests)
    {
        count(track(rank) + BLOCKS, nanos, blocksInUse);
        count(track(rank) + RUNNING, nanos, runningRequests);
    }

    @Override
    public void onEnd(final long open)
    {
        openSteps = open;
    }

    private void count(final long track, final long nanos, final long value)
    {
        body.clear().number(EVENT_TYPE, COUNTER).number(EVENT_TRACK_UUID, track).number(EVENT_COUNTER_VALUE, value);
        event(nanos);
    }

    private void event(final long nanos)
    {
        packet.clear().number(PACKET_TIMESTAMP, nanos).message(PACKET_TRACK_EVENT, body);
        write();
    }

    private void write()
    {
        packet.number(PACKET_SEQUENCE_ID, SEQUENCE);
        trace.clear().message(TRACE_PACKET, packet);
        file.write(trace.bytes(), 0, trace.length());
    }

    @Override
    public void publish(final Path journal)
    {
        if (steps + marks == 0)
        {
            throw new ConfigException(
                journal + " has no event" + (window.equals(TimeWindow.ALL)
                    ? ", so there is no timeline to write; give another journal."
                    : " in that time, so there is no timeline to write; give another --from or --to."));
        }
        file.publish();
    }

    @Override
    public String json(final Path journal, final Path out, final JournalEnd end)
    {
        return JsonDocument.text(new TimelineDocument(
            journal, out, end, ranks, steps, marks, openSteps, JournalRetention.firstRecord(journal), file.bytes()));
    }

    /**
     * {@code timeline --json}.
     *
     * @param path        directory of the journal
     * @param out         the trace
     * @param journalEnd  how the journal ends
     * @param ranks       ranks, each with a track
     * @param steps       steps that were written
     * @param marks       Submits, preemptions, pauses, faults and other events of one time
     * @param openSteps   steps that had not ended when the journal ends; the trace does not have them
     * @param firstRecord first record that the journal has; 0: all are there
     * @param bytes       bytes of the trace, before compression
     */
    @DocumentSchema("signalbox.timeline/1")
    record TimelineDocument(
        Path path,
        Path out,
        JournalEnd journalEnd,
        int ranks,
        long steps,
        long marks,
        long openSteps,
        long firstRecord,
        long bytes)
    {
    }

    @Override
    public void print(final PrintStream out, final JournalEnd end)
    {
        out.printf("%-18s%s%n", "timeline", Decimals.counted(steps, "step") + " of " + Decimals.counted(ranks, "rank") +
            ", " + Decimals.counted(marks, "mark") + "; " + Decimals.bytes(file.bytes()));
        if (openSteps > 0)
        {
            out.printf("%-18s%s%n", "left out", Decimals.counted(openSteps, "step") + " that had not ended");
        }
        out.printf("%-18s%s%n", "journal", JournalEndText.of(end));
    }
}
