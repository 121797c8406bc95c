// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.BadInputTest;
import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.Flag;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalWriter;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class InspectCommandTest
{
    @TempDir
    private Path directory;
    private Path journal;
    private Map<String, String> report;

    @BeforeEach
    void simulate()
    {
        journal = directory.resolve("journal");
        final CommandRun run = CommandRun.of("simulate", "--conversations", "6", "--router", "kv-aware", "--ranks", "4",
            "--limit", "20", "--journal", journal.toString(), "--no-verify", "--json");
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        report = JsonText.leaves(run.out());
    }

    private CommandRun inspect(final String... options)
    {
        final List<String> arguments =
            Stream.concat(Stream.of("inspect", journal.toString()), Stream.of(options)).toList();
        return CommandRun.of(arguments);
    }

    private Map<String, String> json(final String requestId)
    {
        final CommandRun run = inspect("--request", requestId, "--json");
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return JsonText.leaves(run.out());
    }

    @Test
    void shouldShowTheTableOfEveryPlacement()
    {
        final CommandRun run = inspect("--request", "7");
        final Map<String, String> life = json("7");

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertEquals("", run.err());
        assertTrue(run.out().startsWith("request           7\nsubmitted         at "), run.out());
        assertTrue(run.out().contains("\naccepted          yes\nplaced            "), run.out());
        assertTrue(run.out().contains(" by kv-aware: "), run.out());
        final List<String> chosen = run.out().lines().filter(line -> line.matches("\\d \\* .*")).toList();
        assertEquals(1, chosen.size(), run.out());
        assertTrue(chosen.get(0).startsWith(life.get("lives[0].events[0].rank") + " *"), chosen.get(0));
        assertTrue(run.out().contains("\n* chosen; 4 of 4 ranks were candidates\n"), run.out());
        assertTrue(run.out().contains("\nended             "), run.out());
        assertTrue(run.out().endsWith(" groups; closed\n"), run.out());
    }

    @Test
    void shouldShowTheLowestScoreAsChosen()
    {
        final Map<String, String> life = json("9");
        final String placed = "lives[0].events[0].";

        assertEquals("placed", life.get(placed + "event"));
        assertEquals("none", life.get(placed + "tieRule"));
        final int chosen = Integer.parseInt(life.get(placed + "rank"));
        final BigDecimal best = new BigDecimal(life.get(placed + "candidates[" + chosen + "].score"));
        IntStream.range(0, 4).forEach(rank ->
        {
            final String candidate = placed + "candidates[" + rank + "].";
            assertEquals(Integer.toString(rank), life.get(candidate + "rank"));
            assertEquals(Boolean.toString(rank == chosen), life.get(candidate + "chosen"));
            assertEquals(rank == chosen ? 0 : 1, new BigDecimal(life.get(candidate + "score")).compareTo(best));
        });
    }

    @Test
    void shouldAgreeWithTheReport()
    {
        double slowest = 0.0;
        for (int id = 1; id <= 20; id++)
        {
            final Map<String, String> life = json(Integer.toString(id));
            slowest = Math.max(slowest, Double.parseDouble(life.get("lives[0].ttftMs")));
            assertEquals(life.get("lives[0].submit.maxNewTokens"), life.get("lives[0].emittedTokens"));
        }
        final double reported = Double.parseDouble(report.get("latency.ttft.maxMs"));
        assertEquals(reported, slowest, 0.001 * reported, "the report keeps three digits");
    }

    @Test
    void shouldNameTheIdsThatAreThere()
    {
        final CommandRun run = inspect("--request", "21");

        assertEquals(ExitCode.BAD_INPUT, run.exitCode());
        assertEquals("signalbox inspect request: request 21 is not in " + journal +
            ", whose 20 requests have ids from 1 to 20; give one of them." + System.lineSeparator(), run.err());
        assertEquals("", run.out());
    }

    @Test
    void shouldSayWhereThereIsNoRequestAtAll() throws IOException
    {
        final Path open = directory.resolve("open");
        final Map<String, String> settings = SchedulerConfig.builder().build().settings();
        try (JournalWriter writer = JournalWriter.create(open, settings, JournalConfig.of(Durability.PROCESS)))
        {
            assertEquals(1, writer.records());
            final CommandRun run = CommandRun.of("inspect", open.toString(), "--request", "1");
            assertEquals(ExitCode.BAD_INPUT, run.exitCode());
            BadInputTest.assertOneSentence(run.err());
            assertTrue(run.err().contains(", which holds no request yet; give another journal."), run.err());
        }
    }

    @Test
    void shouldReadAJournalThatIsNotClosed() throws IOException
    {
        final Path open = directory.resolve("open");
        final Path left = directory.resolve("left");
        try (JournalWriter writer = JournalWriter.create(
            open, SchedulerConfig.builder().build().settings(), JournalConfig.of(Durability.PROCESS)))
        {
            appendSubmit(writer);
            final CommandRun run = CommandRun.of("inspect", open.toString(), "--request", "3");
            assertEquals(ExitCode.OK, run.exitCode(), run.err());
            assertTrue(run.out().endsWith("\njournal           1 group; being written: more may follow\n"), run.out());
            copy(open, left);
        }
        final CommandRun run = CommandRun.of("inspect", left.toString(), "--request", "3");
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertEquals("""
            request           3
            submitted         at 2.500 s: 40 prompt tokens, at most 3 new ones, priority 0
                              no conversation, hint to rank 1, strict
            accepted          yes
            not ended         so far 0 tokens; what was read ends at 0.000 ms

            journal           1 group; not closed: its writer was stopped
            """, run.out());
    }

    private static void appendSubmit(final JournalWriter writer)
    {
        final byte[] none = new byte[0];
        final long nanos = 2_500_000_000L;
        final InputWriter input = new InputWriter();
        input.submit()
            .timeNanos(nanos).requestId(3).conversationId(-1).predecessorId(-1).thinkTimeNanos(0).deadlineNanos(-1)
            .samplingSeed(0).promptTokens(40).maxNewTokens(3).rowsFrom(-1).priority(0).rankHint(1)
            .temperature(1.0f).topP(1.0f).rankHintRelaxed(Flag.NO)
            .putBlockHashes(none, 0, 0).putCacheKey(none, 0, 0).putTokens(none, 0, 0)
            .putHashChain(none, 0, 0).putStopTokens(none, 0, 0);
        final GroupWriter group = new GroupWriter(256);
        new Scheduler(SchedulerConfig.builder().build()).apply(input.buffer(), 0, input.length(), null, 0, group);
        writer.append(nanos, group.buffer(), 0, group.length(), null);
        writer.endOfBatch();
    }

    private static void copy(final Path from, final Path to) throws IOException
    {
        try (Stream<Path> files = Files.walk(from))
        {
            for (final Path file : files.toList())
            {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
    }

    @Test
    void shouldRefuseADamagedJournalInOneSentence() throws IOException
    {
        DamagedSegment.flipABit(journal);

        final CommandRun run = inspect("--request", "1");
        assertEquals(ExitCode.CHECK_FAILED, run.exitCode(), run.err());
        assertEquals("", run.out());
        BadInputTest.assertOneSentence(run.err());
    }
}
