// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.BadInputTest;
import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.JournalWriter;
import io.signalbox.journal.ReadProgress;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@Tag("threads")
class ExpertsCommandTest
{
    private static final int REQUESTS = 12;

    @TempDir
    private Path directory;
    private Path journal;
    private Map<String, String> report;

    @BeforeEach
    void simulate()
    {
        journal = directory.resolve("journal");
        report = simulate(journal);
    }

    private static Map<String, String> simulate(final Path place, final String... more)
    {
        final List<String> arguments = new ArrayList<>(List.of("simulate", "--conversations=4", "--ranks=2",
            "--limit=" + REQUESTS, "--system-prompt=40", "--user-tokens=fixed:20", "--output-tokens=fixed:6",
            "--no-verify", "--json", "--journal=" + place));
        arguments.addAll(List.of(more));
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return JsonText.leaves(run.out());
    }

    private CommandRun experts(final String out, final String... options)
    {
        return CommandRun.of(Stream.concat(
            Stream.of("experts", journal.toString(), "--out", directory.resolve(out).toString()),
            Stream.of(options)).toList());
    }

    private Map<String, String> description(final String file) throws IOException
    {
        return JsonText.leaves(Files.readString(directory.resolve(file)));
    }

    private static void assertRefused(final CommandRun run, final String sentence)
    {
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        BadInputTest.assertOneSentence(run.err());
        assertTrue(run.err().contains(sentence), run.err());
        assertEquals("", run.out());
    }

    /** Files of an export, and nothing that was left of a part of one. */
    private List<String> names(final String out) throws IOException
    {
        try (Stream<Path> beside = Files.list(directory); Stream<Path> files = Files.list(directory.resolve(out)))
        {
            assertTrue(beside.noneMatch(path -> path.toString().endsWith(".part")));
            return files.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shouldExportEveryRowThatTheReportCounts() throws IOException
    {
        final CommandRun run = experts("rows", "--all", "--json");

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        final Map<String, String> export = JsonText.leaves(run.out());
        assertEquals(report.get("routedExperts.captured"), export.get("captured"));
        assertEquals(report.get("routedExperts.inherited"), export.get("inherited"));
        assertTrue(Integer.parseInt(export.get("inherited")) > 0);
        assertEquals("0", export.get("missing"));
        assertEquals(Integer.toString(REQUESTS), export.get("requests"));
        assertEquals(2 * REQUESTS, names("rows").size());
        assertEquals("7.npy", description("rows/7.json").get("file"));
        final CommandRun text = experts("again", "--all");
        assertTrue(text.out().startsWith("exported          12 requests, "), text.out());
        assertTrue(text.out().endsWith("journal           closed\n"), text.out());
    }

    @Test
    void shouldWriteTheCommittedBytes() throws IOException
    {
        assertEquals(ExitCode.OK, experts("rows", "--request=5,6", "--format=npz").exitCode());
        assertEquals(ExitCode.OK, experts("plain", "--request", "5").exitCode());

        for (final String name : List.of("5.npz", "5.json", "6.json"))
        {
            assertCommitted(name, directory.resolve("rows").resolve(name));
        }
        assertCommitted("5.npy", directory.resolve("plain/5.npy"));
        assertEquals(List.of("5.json", "5.npz", "6.json", "6.npz"), names("rows"));
    }

    private static void assertCommitted(final String name, final Path file) throws IOException
    {
        try (InputStream committed = ExpertsCommandTest.class.getResourceAsStream("rows-" + name))
        {
            assertArrayEquals(committed.readAllBytes(), Files.readAllBytes(file), name);
        }
    }

    @Test
    void shouldDivideRowsAndMaskInheritedOnes() throws IOException
    {
        assertEquals(ExitCode.OK, experts("all", "--request=6", "--format=json").exitCode());
        assertEquals(ExitCode.OK,
            experts("prompt", "--request=6", "--split=prompt", "--start=9", "--format=json").exitCode());
        assertEquals(ExitCode.OK, experts("generated", "--request=6", "--split=generated", "--format=json").exitCode());
        assertEquals(ExitCode.OK, experts("masked", "--request=6", "--inherited=mask", "--format=json").exitCode());
        final Map<String, String> all = description("all/6.json");
        final Map<String, String> prompt = description("prompt/6.json");
        final Map<String, String> generated = description("generated/6.json");
        final Map<String, String> masked = description("masked/6.json");

        final int promptTokens = Integer.parseInt(all.get("promptRows"));
        final int rows = Integer.parseInt(all.get("shape[0]"));
        assertEquals(5, rows - promptTokens, "the last token has no row");
        assertEquals(Integer.toString(promptTokens - 9), prompt.get("shape[0]"));
        assertEquals(all.get("ids[9][1][0]"), prompt.get("ids[0][1][0]"));
        assertEquals(Integer.toString(promptTokens), generated.get("start"));
        assertEquals("5", generated.get("generatedRows"));
        assertEquals(all.get("ids[" + promptTokens + "][3][1]"), generated.get("ids[0][3][1]"));
        assertEquals("inherited", masked.get("origins[0].origin"));
        final int inherited = Integer.parseInt(masked.get("origins[0].to"));
        assertEquals("true", masked.get("inheritedMasked"));
        assertEquals("-1", masked.get("ids[" + (inherited - 1) + "][0][0]"));
        assertEquals(all.get("ids[" + inherited + "][0][0]"), masked.get("ids[" + inherited + "][0][0]"));
        assertFalse(all.containsValue("-1"), "nothing is missing");
    }

    @Test
    void shouldCountRequestsWithoutARowInTheAskedPart() throws IOException
    {
        final CommandRun run = experts("rows", "--all", "--start=70", "--json");

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        int empty = 0;
        for (int id = 1; id <= REQUESTS; id++)
        {
            empty += description("rows/" + id + ".json").get("shape[0]").equals("0") ? 1 : 0;
        }
        assertTrue(empty > 0 && empty < REQUESTS, "start is behind the rows of " + empty + " requests");
        assertEquals(Integer.toString(empty), JsonText.leaves(run.out()).get("empty"));
        assertTrue(experts("again", "--all", "--start=70").out().contains(
            "\nempty             " + empty + " requests without a row in the asked part\n"));
    }

    @Test
    void shouldRefuseAStartBehindEveryRow() throws IOException
    {
        assertRefused(experts("rows", "--all", "--start=100000"),
            "--start=100000 is behind the rows of every request that would be exported; the longest has ");
        assertFalse(Files.exists(directory.resolve("rows")));
    }

    @Test
    void shouldRefuseInOneSentence() throws IOException
    {
        assertRefused(experts("rows"), "--request is missing; give --request=ID,..., or --all.");
        assertRefused(experts("rows", "--all", "--request=1"), "--request and --all exclude each other; leave one out.");
        assertRefused(experts("rows", "--request=1,999"), "--request=999 has no rows in " + journal +
            ": no request of this id has ended in its 12 Submits, whose ids are 1 to 12; give one that has.");
        assertRefused(experts("rows", "--all", "--start=-1"), "--start=-1 is not between 0 and 2147483647");
        assertRefused(experts("rows", "--all", "--format=xml"),
            "--format=xml is not one of npy, npz, json, parquet; give one of them");
        assertRefused(experts("journal", "--all"), " is the input of JOURNAL, which it would replace; ");
        assertRefused(experts("journal/segment-00000/rows", "--all"), "is a part of a journal");
        assertRefused(experts("absent/rows", "--all"), "/absent/rows cannot be written (");
        assertFalse(Files.exists(directory.resolve("rows")));
        assertRefused(CommandRun.of("experts", directory.resolve("absent").toString(), "--all", "--out=x"), "absent");
    }

    @Test
    void shouldSayThatARunCapturedNoRows()
    {
        final Path bare = directory.resolve("bare");
        simulate(bare, "--no-capture");

        assertRefused(CommandRun.of("experts", bare.toString(), "--all", "--out", directory.resolve("rows").toString()),
            bare + " has no rows of routed experts, because its run captured none; give the journal of a run that did.");
    }

    @Test
    void shouldNameTheMethodThatAsksForRows() throws NoSuchMethodException
    {
        final String rowless = directory.resolve("rowless").toString();
        final CommandRun served = CommandRun.of("run", "--max-new-tokens", "1", "--no-verify", "--journal", rowless);
        assertEquals(ExitCode.OK, served.exitCode(), served.err());

        assertRefused(CommandRun.of("experts", rowless, "--all", "--out", directory.resolve("rows").toString()),
            "submit requests with CompletionRequest." +
                CompletionRequest.class.getMethod("routedExperts", int.class).getName() + ", or run with --experts.");
    }

    /** A client cannot submit a request to a run that has ended. */
    @Test
    void shouldAskForAnotherJournalIfThisOneHasNoRequest()
    {
        final Path idle = directory.resolve("idle");
        try (JournalReader reader = JournalReader.open(journal, ReadProgress.NONE))
        {
            JournalWriter.create(idle, reader.settings(), JournalConfig.of(Durability.PROCESS)).close();
        }
        for (final String asked : List.of("--all", "--request=7"))
        {
            assertRefused(CommandRun.of("experts", idle.toString(), asked, "--out", directory.resolve("rows").toString()),
                idle + " has no rows of routed experts: it has no request; give the journal of a run that served requests.");
        }
    }

    @Test
    void shouldLeaveNothingOfADamagedJournal() throws IOException
    {
        DamagedSegment.flipInRecord(journal, 40);
        final CommandRun run = experts("rows", "--all");

        assertEquals(ExitCode.CHECK_FAILED, run.exitCode(), run.err());
        BadInputTest.assertOneSentence(run.err());
        assertFalse(Files.exists(directory.resolve("rows")));
        try (Stream<Path> left = Files.list(directory))
        {
            assertEquals(List.of("journal"), left.map(path -> path.getFileName().toString()).toList());
        }
    }

    @Test
    void shouldBeReadByNumPy() throws Exception
    {
        assumeTrue(python("import numpy").isEmpty(), "skipped: python3 with NumPy is not installed");
        assertEquals(ExitCode.OK, experts("rows", "--all").exitCode());
        assertEquals(ExitCode.OK, experts("zipped", "--all", "--format=npz", "--inherited=mask").exitCode());

        assertEquals("12 True True True " + report.get("routedExperts.inherited"), python("""
            import glob, json
            import numpy as np
            files = sorted(glob.glob('rows/*.npy'))
            shapes = distinct = masked = True
            inherited = 0
            for name in files:
                ids = np.load(name)
                about = json.load(open(name[:-3] + 'json'))
                zipped = np.load(name.replace('rows/', 'zipped/').replace('npy', 'npz'))
                shapes &= ids.dtype == np.int16 and list(ids.shape) == about['shape'] and int(zipped['start']) == 0
                distinct &= bool((ids[:, :, 0] != ids[:, :, 1]).all() and ids.min() >= 0 and ids.max() < about['experts'])
                rows = zipped['state'] == 2
                masked &= bool((zipped['ids'][rows] == -1).all() and (zipped['ids'][~rows] == ids[~rows]).all())
                inherited += int(rows.sum())
            print(len(files), shapes, distinct, masked, inherited)
            """));
    }

    /** Returns the output of the program, which is a message if it fails. */
    private String python(final String program) throws Exception
    {
        try
        {
            final Process process = new ProcessBuilder("python3", "-c", program)
                .directory(directory.toFile()).redirectErrorStream(true).start();
            final String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            assertTrue(process.waitFor(5, TimeUnit.MINUTES));
            return printed;
        }
        catch (final IOException e)
        {
            return e.toString();
        }
    }
}
