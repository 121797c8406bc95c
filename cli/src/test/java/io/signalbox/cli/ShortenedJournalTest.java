// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.ExitCode;
import io.signalbox.journal.JournalRetention;
import io.signalbox.journal.Shortening;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Each question to a journal whose old segments were removed has the answer of the whole journal, as far as it is known. */
@Tag("threads")
class ShortenedJournalTest
{
    @TempDir
    private static Path directory;
    private static String whole;
    private static String kept;
    private static long first;

    @BeforeAll
    static void simulate() throws IOException
    {
        whole = directory.resolve("whole").toString();
        kept = directory.resolve("kept").toString();
        final String report = run("simulate", "--conversations=24", "--ranks=2", "--kv-blocks=300", "--max-context=1024",
            "--segment-bytes=65536", "--journal", whole, "--no-verify", "--json").out();
        // The older of two snapshots is where the answers begin.
        final long records = Long.parseLong(JsonText.leaves(report).get("journal.records"));
        copy(Path.of(whole), Path.of(kept));
        run("snapshot", kept, "--scheduler", "--every=" + records * 6 / 10);
        assertTrue(Shortening.of(Path.of(kept)).segments() > 2, "nothing was removed");
        first = JournalRetention.firstRecord(Path.of(kept));
        assertTrue(first > 500, "begins at " + first);
    }

    private static void copy(final Path from, final Path to) throws IOException
    {
        try (Stream<Path> files = Files.walk(from))
        {
            for (final Path file : files.sorted().toList())
            {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
    }

    private static CommandRun run(final String... arguments)
    {
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), () -> String.join(" ", arguments) + ": " + run.err());
        return run;
    }

    private static CommandRun noted(final String... arguments)
    {
        final CommandRun run = run(arguments);
        assertTrue(run.err().contains(kept + " begins at record " + first + ", because its older segments were removed"),
            run.err());
        return run;
    }

    private static Path fresh(final String name)
    {
        return directory.resolve(name);
    }

    /** Behind the first one, which is cut at the snapshot, intervals are those of the whole journal. */
    @Test
    void shouldDivideARankIntoTheSameIntervals()
    {
        final List<String> all = run("inspect", whole, "--rank=1", "--every=1", "--csv").out().lines().toList();
        final List<String> some = noted("inspect", kept, "--rank=1", "--every=1", "--csv").out().lines().toList();
        assertTrue(some.size() > 3, some::toString);
        assertEquals(all.subList(all.size() - some.size() + 2, all.size()), some.subList(2, some.size()));
        assertEquals(some, noted("inspect", kept, "--rank=1", "--every=1", "--csv", "--follow").out().lines().toList());
    }

    @Test
    void shouldReportTheRunFromASnapshotOn()
    {
        final Map<String, String> all = JsonText.leaves(run("inspect", whole, "--json").out());
        final Map<String, String> some = JsonText.leaves(noted("inspect", kept, "--json").out());
        assertEquals(all.get("journal.digest"), some.get("journal.digest"));
        assertEquals("0", some.get("requests.unfinished"));
        final int submitted = Integer.parseInt(some.get("requests.submitted"));
        assertTrue(submitted > 0 && submitted < Integer.parseInt(all.get("requests.submitted")), submitted + " submitted");
        assertEquals(submitted, Integer.parseInt(some.get("requests.completed")));
        for (final String rank : List.of("0", "1"))
        {
            final double mean = Double.parseDouble(some.get("blockOccupancy[" + rank + "].mean"));
            assertTrue(mean > 0 && mean <= 1, mean + " of the blocks");
        }
    }

    @Test
    void shouldWriteTheRequestsWhoseSubmitsAreKept() throws IOException
    {
        run("trace", whole, "--out", fresh("whole.jsonl").toString());
        noted("trace", kept, "--out", fresh("kept.jsonl").toString());
        final List<String> all = Files.readAllLines(fresh("whole.jsonl"));
        final List<String> some = Files.readAllLines(fresh("kept.jsonl"));
        assertTrue(some.size() > 3 && some.size() < all.size(), some.size() + " of " + all.size());
        for (int i = 0; i < some.size(); i++)
        {
            assertEquals(part(all.get(all.size() - some.size() + i)), part(some.get(i)));
        }
        assertTrue(some.get(0).contains("\"arrival_ns\":0,"), some.get(0));
        run("simulate", "--trace", fresh("kept.jsonl").toString(), "--no-journal");
    }

    /** The fields that do not depend on the beginning of the trace. */
    private static String part(final String line)
    {
        return line.replaceFirst(",\"arrival_ns\":\\d+", "").replaceFirst(",\"predecessor\":\\d+,\"think_ns\":\\d+", "");
    }

    /** A later moment does not help if no snapshot can be used. */
    @Test
    void shouldAskForSnapshotsIfThereIsNone() throws IOException
    {
        final Path bare = fresh("bare");
        copy(Path.of(kept), bare);
        final CommandRun early = CommandRun.of("inspect", bare.toString(), "--at=1");
        assertTrue(early.err().contains("no snapshot ahead of this moment can be used; ask for a later one."), early.err());
        try (Stream<Path> files = Files.list(bare.resolve("snapshots")))
        {
            for (final Path file : files.filter(Files::isRegularFile).toList())
            {
                Files.delete(file);
            }
        }

        final CommandRun late = CommandRun.of("inspect", bare.toString(), "--at=" + (first + 1));

        assertEquals(ExitCode.CHECK_FAILED, late.exitCode(), late.err());
        assertTrue(late.err().contains("no snapshot ahead of this moment can be used; restore its snapshots from a copy."),
            late.err());
    }

    @Test
    void shouldExportTheSameRows() throws IOException
    {
        run("experts", whole, "--all", "--out", fresh("rows").toString());
        final CommandRun some = noted("experts", kept, "--all", "--out", fresh("some").toString());
        assertTrue(some.out().contains("gone              rows of "), some.out());
        int compared = 0;
        try (Stream<Path> files = Files.list(fresh("some")))
        {
            for (final Path file : files.toList())
            {
                assertArrayEquals(Files.readAllBytes(fresh("rows").resolve(file.getFileName())), Files.readAllBytes(file),
                    file.toString());
                compared++;
            }
        }
        assertTrue(compared > 6, compared + " files");
        final CommandRun gone = CommandRun.of("experts", kept, "--request=1", "--out", fresh("one").toString());
        assertEquals(ExitCode.BAD_INPUT, gone.exitCode());
        assertTrue(gone.err().contains("rows of requests that ended earlier are gone"), gone.err());
    }

    @Test
    void shouldWriteTheTimelineFromASnapshotOn()
    {
        run("timeline", whole, "--out", fresh("whole.pftrace").toString(), "--json");
        final Map<String, String> some =
            JsonText.leaves(noted("timeline", kept, "--out", fresh("kept.pftrace").toString(), "--json").out());
        assertTrue(Integer.parseInt(some.get("steps")) > 100, some::toString);
    }

    @Test
    void shouldFindThatTheShortenedJournalIsEqual()
    {
        for (final List<String> sides : List.of(List.of(whole, kept), List.of(kept, whole), List.of(kept, kept)))
        {
            final CommandRun run = run("diff", sides.get(0), sides.get(1));
            assertTrue(run.out().contains("their links say that they are equal"), run.out());
        }
        final String other = fresh("other").toString();
        run("simulate", "--conversations=24", "--ranks=2", "--kv-blocks=280", "--max-context=1024", "--journal", other,
            "--no-verify");
        final CommandRun run = CommandRun.of("diff", kept, other);
        assertEquals(ExitCode.CHECK_FAILED, run.exitCode(), run.err());
        assertTrue(run.out().contains("what they had is not compared"), run.out());
    }

    @Test
    void shouldReRunWhatCameBehindTheSnapshot()
    {
        final CommandRun run = noted("whatif", kept, "--variant", "turns: --router round-robin", "--json");
        final Map<String, String> report = JsonText.leaves(run.out());
        assertTrue(Integer.parseInt(report.get("start.cachedBlocks")) > 0, run.out().substring(0, 2_000));
        noted("whatif", kept, "--expert-devices=4", "--json");
        final CommandRun early = CommandRun.of("whatif", kept, "--from=0");
        assertEquals(ExitCode.BAD_INPUT, early.exitCode());
        assertTrue(early.err().contains("give a later time"), early.err());
    }

    @Test
    void shouldRefuseByNameWhatNeedsEveryRecord() throws IOException
    {
        final Path key = Files.write(fresh("key"), new byte[32]);
        key.toFile().setReadable(false, false);
        key.toFile().setReadable(true, true);
        final CommandRun redact = CommandRun.of(
            "redact", kept, fresh("redacted").toString(), "--journal-key", key.toString());
        assertEquals(ExitCode.CHECK_FAILED, redact.exitCode());
        assertTrue(redact.err().contains("cannot be redacted"), redact.err());
        final CommandRun voided = CommandRun.of("replay", kept, "--void", "3");
        assertEquals(ExitCode.BAD_INPUT, voided.exitCode());
        assertTrue(voided.err().contains("was replayed when a snapshot behind it was written"), voided.err());
    }

    @Test
    void shouldNameADamagedSegmentAndItsPlace() throws IOException
    {
        assertTrue(run("doctor", kept).out().startsWith("segments   ok"), "all are whole");
        final Path damaged = fresh("damaged");
        copy(Path.of(whole), damaged);
        final Path file = damaged.resolve("segment-00001/19700101F.cq4");
        final byte[] bytes = Files.readAllBytes(file);
        bytes[70_000] ^= 1;
        Files.write(file, bytes);
        Files.delete(damaged.resolve("segment-00003.sums"));
        final CommandRun run = CommandRun.of("doctor", damaged.toString());
        assertEquals(ExitCode.CHECK_FAILED, run.exitCode());
        assertTrue(run.out().contains(file + ", bytes 65536 to 131071: they are not those"), run.out());
        assertTrue(run.out().contains("segment-00003 has no checksums"), run.out());
        final CommandRun none = CommandRun.of("doctor", directory.resolve("nothing").toString());
        assertTrue(none.exitCode() != ExitCode.OK && none.err().contains("is not a directory"), none.err());
    }

    @Test
    void shouldBeReadByTheExampleInPython() throws Exception
    {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/python3")), "python3 is absent");
        assertEquals(python(whole).replaceFirst(".*digest", ""), python(kept).replaceFirst(".*digest", ""));
    }

    private static String python(final String journal) throws Exception
    {
        final Process process = new ProcessBuilder("/usr/bin/python3", Path.of(System.getProperty("signalbox.root"),
            "docs/examples/read_journal.py").toString(), journal).redirectErrorStream(true).start();
        final String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), text);
        return text;
    }

    /** Files in which {@code snapshot} and {@code beginning} are. */
    @Test
    void shouldListTheFilesOfAShortenedRun()
    {
        final Map<String, Long> names = new TreeMap<>();
        Arrays.stream(Path.of(kept).toFile().list()).forEach(name -> names.put(name, 1L));
        assertTrue(names.containsKey("beginning") && names.containsKey("beginning.copy"), names::toString);
        final CommandRun run = run("runs", directory.toString());
        assertTrue(run.out().contains("kept"), run.out());
    }
}
