// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.experts.ModelShape;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.JournalWriter;
import io.signalbox.journal.WallTimes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Questions about a time of day, to the journal of a run as an engine would have written it: just now. */
class TimeOfDayTest
{
    private static final DateTimeFormatter MINUTE =
        DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm").withZone(ZoneOffset.UTC);
    @TempDir
    private static Path directory;
    private static Path simulated;
    private static Path journal;
    private static String minute;
    private static String tomorrow;

    @BeforeAll
    static void write()
    {
        simulated = directory.resolve("simulated");
        final CommandRun run = CommandRun.of("simulate", "--conversations=4", "--ranks=2", "--kv-blocks=600",
            "--no-verify", "--journal=" + simulated);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        journal = directory.resolve("engine");
        try (JournalReader reader = JournalReader.open(simulated))
        {
            final Map<String, String> settings = new TreeMap<>(reader.settings());
            settings.keySet().removeIf(name -> name.startsWith("sim.") || name.startsWith("workload."));
            copy(reader, settings);
        }
        final Instant first = WallTimes.of(journal).first();
        minute = MINUTE.format(first.truncatedTo(ChronoUnit.MINUTES));
        tomorrow = MINUTE.format(first.plus(1, ChronoUnit.DAYS));
    }

    private static void copy(final JournalReader reader, final Map<String, String> settings)
    {
        final ModelShape shape = reader.shape();
        try (JournalWriter writer = JournalWriter.create(journal, settings, JournalConfig.of(Durability.PROCESS)))
        {
            while (reader.next())
            {
                writer.append(reader.timeNanos(), reader.group(), 0, reader.groupLength(),
                    reader.rows() == null ? null : new CopiedRows(reader.rows(), reader.rowsLength(), shape.rowBytes()));
                writer.endOfBatch();
            }
        }
    }

    private static CommandRun inspect(final Path of, final String... options)
    {
        final List<String> arguments = new ArrayList<>(List.of("inspect", of.toString()));
        arguments.addAll(List.of(options));
        return CommandRun.of(arguments);
    }

    private static String answer(final String... options)
    {
        final CommandRun run = inspect(journal, options);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return run.out();
    }

    @Test
    void shouldSayWhichExpertsWereHotAtATimeOfDay()
    {
        final String all = answer("--experts", "--csv");

        assertTrue(all.lines().count() > 100, all);
        assertEquals(all, answer("--experts", "--csv", "--from=" + minute));
        assertEquals(all, answer("--experts", "--csv", "--from=" + minute + "Z", "--to=" + tomorrow + ":30"));
        assertEquals(all, answer("--experts", "--csv", "--from=" + minute.substring(minute.indexOf('T') + 1)));
    }

    @Test
    void shouldAnswerEveryOtherQuestionByTheTimeOfDay()
    {
        assertEquals(answer("--requests", "--csv"), answer("--requests", "--csv", "--from=" + minute));
        assertEquals(answer("--rank=1", "--csv"), answer("--rank=1", "--csv", "--to=" + tomorrow));
        assertEquals("", answer("--moment=" + minute, "--csv").lines().skip(1).findAny().orElse(""));
        final Path out = directory.resolve("timeline");
        final CommandRun timeline = CommandRun.of("timeline", journal.toString(), "--out=" + out, "--from=" + minute);
        assertEquals(ExitCode.OK, timeline.exitCode(), timeline.err());
        assertTrue(Files.exists(out));
        final CommandRun whatif = CommandRun.of("whatif", journal.toString(), "--from=" + minute);
        assertEquals(ExitCode.OK, whatif.exitCode(), whatif.err());
    }

    @Test
    void shouldRefuseTimesThatTheJournalDoesNotHave()
    {
        assertRefused(journal, "--from=" + tomorrow + " is behind the records of " + journal + ", which were written from ",
            "--requests", "--from=" + tomorrow);
        assertRefused(journal, "--to=2020-01-01T00:00 is before the records of " + journal, "--requests",
            "--to=2020-01-01T00:00");
        assertRefused(simulated, "--from=10:04 is a time of day, and the run of " + simulated +
            " was simulated: its times count from its start; give seconds.", "--experts", "--from=10:04");
        assertRefused(journal, "'24:61' is no time of a day", "--requests", "--from=24:61");
        assertRefused(journal, "'10:4' is not a number such as 2, 0.5 or 1e-6, nor a time of day such as 10:04 or " +
            "2026-11-23T10:04", "--requests", "--from=10:4");
    }

    private static void assertRefused(final Path of, final String sentence, final String... options)
    {
        final CommandRun run = inspect(of, options);
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.out());
        assertTrue(run.err().contains(sentence), run.err());
        assertEquals("", run.out());
    }
}
