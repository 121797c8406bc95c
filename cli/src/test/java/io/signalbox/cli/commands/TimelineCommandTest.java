// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.BadInputTest;
import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The timeline of a run with preemptions and a lost rank, read by the schema of Perfetto traces. */
class TimelineCommandTest
{
    private static final long SLICE_BEGIN = 1;
    private static final long SLICE_END = 2;
    private static final long INSTANT = 3;
    private static final long COUNTER = 4;
    private static final int POOL_BLOCKS = 129;

    @TempDir
    private static Path directory;
    private static Path journal;
    private static Map<String, String> report;
    private static List<Map<String, List<Object>>> packets;

    @BeforeAll
    static void write() throws IOException
    {
        journal = directory.resolve("journal");
        final CommandRun run = CommandRun.of("simulate", "--conversations=20", "--limit=40", "--ranks=2",
            "--steps-in-flight=2", "--kv-blocks=" + (POOL_BLOCKS + 1), "--system-prompt=64",
            "--max-context=1024", "--cancel-fraction=0.2",
            "--cancel-after=0.2", "--faults=rank 1 step 90 lost back-after 1s", "--no-verify", "--json", "--journal",
            journal.toString());
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        report = JsonText.leaves(run.out());
        final Path out = directory.resolve("run.pftrace");
        final CommandRun written = CommandRun.of("timeline", journal.toString(), "--out", out.toString());
        assertEquals(ExitCode.OK, written.exitCode(), written.err());
        packets = PerfettoTrace.packets(Files.readAllBytes(out));
    }

    private static Object one(final Map<String, List<Object>> packet, final String field)
    {
        final List<Object> values = packet.get(field);
        assertEquals(1, values == null ? 0 : values.size(), field + " of " + packet);
        return values.get(0);
    }

    private static List<Map<String, List<Object>>> events(final long type)
    {
        return packets.stream().filter(packet -> List.of(type).equals(packet.get("track_event.type"))).toList();
    }

    @Test
    void shouldDescribeEachTrackBeforeItsEvents()
    {
        final Set<Object> tracks = new HashSet<>();
        for (final Map<String, List<Object>> packet : packets)
        {
            assertEquals(1L, one(packet, "trusted_packet_sequence_id"));
            if (packet.containsKey("track_descriptor.uuid"))
            {
                assertTrue(tracks.add(one(packet, "track_descriptor.uuid")));
                assertTrue(packet.getOrDefault("track_descriptor.parent_uuid", List.of()).stream()
                    .allMatch(tracks::contains));
            }
            else
            {
                assertTrue(tracks.contains(one(packet, "track_event.track_uuid")));
            }
        }
        assertEquals(1 + 2 * 3, tracks.size());
    }

    @Test
    void shouldHaveEveryCommittedStepOnceWithoutOverlap()
    {
        final Map<Object, Long> freeFrom = new HashMap<>();
        Map<String, List<Object>> open = null;
        long computed = 0;
        for (final Map<String, List<Object>> packet : packets)
        {
            final Object type = packet.getOrDefault("track_event.type", List.of(0L)).get(0);
            final long time = packet.containsKey("timestamp") ? (Long)one(packet, "timestamp") : 0;
            if (type.equals(SLICE_BEGIN))
            {
                assertEquals(null, open);
                open = packet;
                assertTrue(time >= freeFrom.getOrDefault(one(packet, "track_event.track_uuid"), 0L));
            }
            else if (type.equals(SLICE_END))
            {
                assertEquals(one(open, "track_event.track_uuid"), one(packet, "track_event.track_uuid"));
                computed += time - (Long)one(open, "timestamp");
                assertTrue(time >= (Long)one(open, "timestamp"));
                freeFrom.put(one(packet, "track_event.track_uuid"), time);
                open = null;
            }
        }
        final long withdrawn = Long.parseLong(report.get("faults.withdrawnSteps")) +
            Long.parseLong(report.get("faults.failedSteps")) + Long.parseLong(report.get("faults.timedOutSteps"));
        final long steps = Long.parseLong(report.get("steps"));
        assertTrue(events(SLICE_BEGIN).size() <= steps && events(SLICE_BEGIN).size() >= steps - withdrawn - 4);
        assertTrue(computed <= Long.parseLong(report.get("inFlight.computeNanos")));
    }

    /** A request begins with its Submit and is a flow with at least one further place. */
    @Test
    void shouldLeadFromEachSubmitToItsSteps()
    {
        final Map<Object, Integer> places = new HashMap<>();
        for (final Map<String, List<Object>> packet : packets)
        {
            packet.getOrDefault("track_event.flow_ids", List.of()).forEach(flow -> places.merge(flow, 1, Integer::sum));
        }
        final long submits = events(INSTANT).stream()
            .filter(packet -> one(packet, "track_event.name").toString().startsWith("submit ")).count();

        assertEquals(report.get("requests.submitted"), Long.toString(submits));
        assertEquals(submits, places.size());
        assertTrue(places.values().stream().allMatch(count -> count >= 2), places.toString());
    }

    @Test
    void shouldMarkPreemptionsAndFaults()
    {
        final List<String> marks =
            events(INSTANT).stream().map(packet -> one(packet, "track_event.name").toString()).toList();

        assertEquals(report.get("preemptions"),
            Long.toString(marks.stream().filter(mark -> mark.startsWith("preempted ")).count()));
        assertTrue(marks.contains("fault: rank-lost"), marks.toString());
        assertTrue(marks.stream().anyMatch(mark -> mark.startsWith("reset, epoch ")), marks.toString());
        assertEquals(report.get("requests.cancelled"),
            Long.toString(marks.stream().filter(mark -> mark.startsWith("cancelled ")).count()));
    }

    @Test
    void shouldCountBlocksAndRequests()
    {
        final Map<Object, Long> most = new HashMap<>();
        final Map<Object, Long> last = new HashMap<>();
        for (final Map<String, List<Object>> packet : events(COUNTER))
        {
            final long value = (Long)one(packet, "track_event.counter_value");
            assertTrue(value >= 0, packet.toString());
            most.merge(one(packet, "track_event.track_uuid"), value, Math::max);
            last.put(one(packet, "track_event.track_uuid"), value);
        }
        for (int rank = 0; rank < 2; rank++)
        {
            assertEquals(Double.parseDouble(report.get("blockOccupancy[" + rank + "].peak")),
                (double)most.get(16L + 4 * rank + 1) / POOL_BLOCKS, 1e-9);
        }
        assertEquals(Set.of(0L), new HashSet<>(last.values()), "all requests have ended");
    }

    @Test
    void shouldRefuseInOneSentence() throws IOException
    {
        final Path there = Files.writeString(directory.resolve("there"), "kept");
        assertRefused("--out=" + there + " exists", "--out=" + there);
        final Path out = directory.resolve("nothing");
        assertRefused("has no event in that time", "--out=" + out, "--from=1000000");
        assertRefused("--from=2.0 is not before --to=1.0", "--out=" + out, "--from=2", "--to=1");
        assertRefused("is a part of a journal", "--out=" + journal.resolve("segment-00001"));
        assertFalse(Files.exists(out));
    }

    private static long count(final Path of, final String message)
    {
        return CommandRun.of(
            "inspect", of.toString(), "--events", "--message=" + message, "--csv").out().lines().count() - 1;
    }

    @Test
    void shouldCountStepsThatHadNotEnded()
    {
        final Path stopped = StoppedJournal.write(directory.resolve("stopped"), 40);
        final long open = count(stopped, "Schedule") - count(stopped, "Commit");

        final CommandRun json = CommandRun.of(
            "timeline", stopped.toString(), "--out", directory.resolve("open.pftrace").toString(), "--json");
        final CommandRun text = CommandRun.of(
            "timeline", stopped.toString(), "--out", directory.resolve("open-again.pftrace").toString());

        assertTrue(open > 1, open + " steps in flight");
        assertEquals(Long.toString(open), JsonText.leaves(json.out()).get("openSteps"), json.err());
        assertTrue(text.out().contains("left out          " + open + " steps that had not ended\n"), text.out());
    }

    /** Such a journal has no event at any time. */
    @Test
    void shouldAskForAnotherJournalIfThisOneHasNoEvent()
    {
        final Path empty = StoppedJournal.write(directory.resolve("empty"), 0);

        final CommandRun run =
            CommandRun.of("timeline", empty.toString(), "--out", directory.resolve("empty.pftrace").toString());

        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertTrue(run.err().contains(
            empty + " has no event, so there is no timeline to write; give another journal."), run.err());
    }

    private static void assertRefused(final String sentence, final String... options)
    {
        final List<String> arguments = new ArrayList<>(List.of("timeline", journal.toString()));
        arguments.addAll(List.of(options));
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        BadInputTest.assertOneSentence(run.err());
        assertTrue(run.err().contains(sentence), run.err());
    }
}
