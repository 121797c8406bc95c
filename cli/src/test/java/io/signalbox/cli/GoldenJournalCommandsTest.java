// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.ConfigException;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.ForwardingBackend;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.ReadProgress;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.PacedBackend;
import io.signalbox.sim.SimulationConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Journals of earlier builds: this build answers every question about them, verifies them, and continues their runs. */
@Tag("threads")
class GoldenJournalCommandsTest
{
    private static final JournalConfig SMALL = new JournalConfig(Durability.PROCESS, 1 << 16, 1 << 18);
    private static final double FAST = 1000;
    private static final int NEW_TOKENS = 9;
    private static final int HEADER_LINES = 1;
    private static final int MOST_UNFINISHED = 7;

    /** What earlier builds recorded; {@code GoldenJournalTest} says how each journal was made. */
    enum Golden
    {
        SIMULATED(24, 24, 0, 1320),
        RESTARTED(15, 15, 0, 400),
        TURNS(24, 24, 0, 1320),
        /** Begins at a snapshot, since its oldest segments were removed: seven Submits are gone. */
        SHORTENED(108, 101, 7, 1510),
        RISEN(24, 24, 0, 626);

        private final int submitted;
        private final int listed;
        private final int unfinished;
        private final int rows;

        Golden(final int submitted, final int listed, final int unfinished, final int rows)
        {
            this.submitted = submitted;
            this.listed = listed;
            this.unfinished = unfinished;
            this.rows = rows;
        }
    }

    /** Simulated ranks that say what the backend of the recorded engines said. */
    private static final class ContentBackend extends ForwardingBackend
    {
        private ContentBackend(final SchedulerConfig config)
        {
            super(new PacedBackend(SimulationConfig.DEFAULT, config, FAST, 0));
        }

        @Override
        public BackendCapabilities capabilities()
        {
            return BackendCapabilities.named("content").capturesExperts(true).capturesCombineWeights(true).readsTokens(true)
                .masksStopTokens(true).writesKvFirst(true).swapsWeights(true)
                .depth(SchedulerConfig.MAX_DEPTH).draftTokens(SchedulerConfig.MAX_DRAFT_TOKENS).build();
        }
    }

    @TempDir
    private Path directory;

    private String unpacked(final Golden golden) throws IOException
    {
        final String name = "version-5-" + golden.name().toLowerCase(Locale.ROOT);
        final Path zip = Path.of(System.getProperty("signalbox.root"), "journal/src/test/resources/golden", name + ".zip");
        final Path journal = directory.resolve(name);
        try (InputStream file = Files.newInputStream(zip); ZipInputStream entries = new ZipInputStream(file))
        {
            for (ZipEntry entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry())
            {
                final Path target = journal.resolve(entry.getName());
                Files.createDirectories(target.getParent());
                Files.copy(entries, target);
            }
        }
        return journal.toString();
    }

    private static String run(final String... arguments)
    {
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), () -> String.join(" ", arguments) + ": " + run.err());
        return run.out();
    }

    private static Map<String, String> json(final String... arguments)
    {
        final String[] all = Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = "--json";
        return JsonText.leaves(run(all));
    }

    private String fresh(final String name)
    {
        return directory.resolve(name).toString();
    }

    private static List<String> requests(final String journal)
    {
        final List<String> lines = run("inspect", "requests", journal, "--csv").lines().toList();
        return lines.subList(HEADER_LINES, lines.size());
    }

    @ParameterizedTest
    @EnumSource
    void shouldInspect(final Golden golden) throws IOException
    {
        final String journal = unpacked(golden);
        final Map<String, String> run = json("inspect", "run", journal);
        assertEquals(golden.submitted, Integer.parseInt(run.get("requests.submitted")));
        assertEquals(golden.unfinished, Integer.parseInt(run.get("requests.unfinished")));
        final List<String> requests = requests(journal);
        assertEquals(golden.listed, requests.size());
        final String id = requests.get(0).replaceFirst(",.*", "");
        assertTrue(run("inspect", "request", journal, id).contains("\nended "), id);
        for (final String question : List.of("rank JOURNAL 0 --every=1", "block JOURNAL 0:3", "expert JOURNAL 1",
            "events JOURNAL", "moment JOURNAL record:LAST", "series JOURNAL --every=1", "run JOURNAL --html=PAGE"))
        {
            final String[] arguments = ("inspect " + question).split(" ");
            Arrays.setAll(arguments, i -> arguments[i].replace("JOURNAL", journal)
                .replace("LAST", run.get("journal.groups")).replace("PAGE", fresh("page.html")));
            assertTrue(run(arguments).lines().count() > 2, question);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldExport(final Golden golden) throws IOException
    {
        final String journal = unpacked(golden);
        assertEquals(golden.rows, Integer.parseInt(json("experts", journal, "--all", "--out", fresh("rows")).get("rows")));
        final String trace = fresh("trace.jsonl");
        run("trace", journal, "--out", trace);
        assertEquals(golden.listed, Files.readAllLines(Path.of(trace)).size());
        run("simulate", "--trace", trace, "--no-journal");
        assertTrue(Integer.parseInt(json("timeline", journal, "--out", fresh("timeline.pftrace")).get("steps")) > 40);
    }

    @ParameterizedTest
    @EnumSource
    void shouldAskWhatIfAndCompare(final Golden golden) throws IOException
    {
        final String journal = unpacked(golden);
        final Map<String, String> answer = json("whatif", journal, "--variant", "turns: --router round-robin");
        assertTrue(Integer.parseInt(answer.get("variants[0].decisions.placements.total")) >= MOST_UNFINISHED);
        assertTrue(run("diff", journal, journal).contains("equal"));
    }

    @ParameterizedTest
    @EnumSource
    void shouldVerify(final Golden golden) throws IOException
    {
        final String verified = run("replay", unpacked(golden), "--verify");
        assertTrue(verified.startsWith("verified          yes: "), verified);
        assertEquals(golden == Golden.RISEN, verified.contains(" of version 1 of the router signalbox are as recorded"));
    }

    /** The clients of a simulation are simulated too. */
    @ParameterizedTest
    @EnumSource(names = {"SIMULATED", "TURNS"})
    void shouldNotContinueASimulation(final Golden golden) throws IOException
    {
        final String journal = unpacked(golden);
        assertEquals("the run in " + journal + " names no backend, as a run of simulate, so no engine can continue it; " +
            "begin a new run in another directory.",
            assertThrows(ConfigException.class, () -> launched(journal)).getMessage());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = {"SIMULATED", "TURNS"})
    void shouldContinue(final Golden golden) throws Exception
    {
        final String journal = unpacked(golden);
        final List<String> before = requests(journal).stream().filter(line -> !line.endsWith(",unfinished")).toList();

        final long id;
        try (SignalboxEngine engine = launched(journal))
        {
            assertEquals(golden.unfinished, engine.resumed().stream().filter(handle -> !handle.isDone()).count());
            final CompletionHandle handle =
                engine.submit(CompletionRequest.prompt(new int[20]).maxNewTokens(NEW_TOKENS));
            assertEquals(NEW_TOKENS, handle.await().tokens().length);
            id = handle.requestId();
            for (final CompletionHandle resumed : engine.resumed())
            {
                resumed.await();
            }
        }

        assertTrue(run("replay", journal, "--verify").startsWith("verified          yes: "));
        final List<String> after = requests(journal);
        assertEquals(before, after.subList(0, before.size()));
        assertEquals(golden.listed + 1, after.size());
        assertTrue(after.stream().anyMatch(line -> line.startsWith(id + ",") && line.endsWith(",length")), after::toString);
    }

    private static SignalboxEngine launched(final String journal)
    {
        final SchedulerConfig config;
        try (JournalReader reader = JournalReader.openKept(Path.of(journal), ReadProgress.NONE))
        {
            config = reader.config().toBuilder().router(RouterConfig.standard()).build();
        }
        return SignalboxEngine.launch(new EngineConfig().scheduler(config)
            .backend(new ContentBackend(config))
            .runJournal(new DirectoryJournal(Path.of(journal), SMALL)));
    }
}
