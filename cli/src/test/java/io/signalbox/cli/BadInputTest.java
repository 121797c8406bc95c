// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Every wrong option or input ends in one sentence and exit code 2, before anything is written. */
class BadInputTest
{
    @TempDir
    private Path directory;

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        simulate --nope                       | unknown option: '--nope'
        simulate stray                        | 'stray'
        simulate --seed                       | '--seed'
        simulate --block-size 0               | --block-size=0
        simulate --kv-blocks 10               | give at least 9
        simulate --experts 40000              | experts=40000 is not between 1 and 32767
        simulate --top-k 65                   | topK=65
        simulate --beta -1                    | beta=-1.0
        simulate --beta NaN                   | beta=NaN
        simulate --beta Infinity              | beta=Infinity
        simulate --beta much                  | '--beta'
        simulate --ranks 0                    | ranks=0
        simulate --router random              | router 'random'
        simulate --eviction fifo              | --eviction=fifo
        simulate --durability maybe           | '--durability'
        simulate --ring-size 7                | --ring-size=7
        simulate --arrivals monday            | --arrivals=monday
        simulate --turns fixed:0              | --turns=fixed:0
        simulate --limit 0                    | 0 requests
        simulate --cancel-fraction 2          | cancel fraction 2.0
        simulate --step-base-nanos 0          | baseNanos=0
        simulate --journal a --no-journal     | exclude each other
        replay                                | 'JOURNAL'
        replay no-such-journal                | no-such-journal
        frobnicate                            | 'frobnicate'
        """)
    void shouldEndInOneSentence(final String arguments, final String named)
    {
        assertRefused(CommandRun.of(arguments.split(" ")), named);
    }

    @Test
    void shouldAskForACommandWhereNoneIsGiven()
    {
        assertRefused(CommandRun.of(), "a command is missing");
    }

    @Test
    void shouldNameAMissingTrace()
    {
        final String trace = directory.resolve("missing.jsonl").toString();

        assertRefused(CommandRun.of("simulate", "--trace", trace), trace);
    }

    @Test
    void shouldNameFileAndLineOfAMalformedTrace() throws IOException
    {
        final Path trace = Files.writeString(directory.resolve("bad.jsonl"), """
            {"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [1, 2]}
            {"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [1}
            """);

        final CommandRun run = CommandRun.of("simulate", "--trace", trace.toString());
        assertRefused(run, trace.toString());
        assertTrue(run.err().contains("line 2"), run.err());
    }

    @Test
    void shouldNameTheLineOfATraceThatNoPoolHolds() throws IOException
    {
        final Path trace = Files.writeString(directory.resolve("large.jsonl"), """
            {"timestamp": 0, "input_length": 100, "output_length": 5, "hash_ids": [1]}
            {"timestamp": 0, "input_length": 900, "output_length": 5, "hash_ids": [2, 3]}
            """);

        assertRefused(
            CommandRun.of("simulate", "--trace", trace.toString(), "--kv-blocks", "57"), "line 2 of " + trace);
        final CommandRun enough = CommandRun.of(
            "simulate", "--trace", trace.toString(), "--kv-blocks", "58", "--no-journal");
        assertEquals(ExitCode.OK, enough.exitCode(), enough.err());
    }

    @Test
    void shouldRefuseADirectoryThatIsNotEmpty() throws IOException
    {
        Files.writeString(directory.resolve("notes.txt"), "mine");

        assertRefused(CommandRun.of("simulate", "--journal", directory.toString()), directory + " is not empty");
        assertEquals(List.of("notes.txt"), Files.list(directory).map(file -> file.getFileName().toString()).toList());
    }

    @Test
    void shouldRefuseAFileAsJournalDirectory() throws IOException
    {
        final Path file = Files.writeString(directory.resolve("file"), "mine");

        assertRefused(CommandRun.of("simulate", "--journal", file.toString()), file.toString());
        assertRefused(CommandRun.of("simulate", "--journal", file.resolve("below").toString()), file.toString());
    }

    @Test
    void shouldLeaveNothingBehindWhereTheOptionsAreWrong()
    {
        final Path journal = directory.resolve("journal");

        assertRefused(
            CommandRun.of("simulate", "--journal", journal.toString(), "--ring-size", "9", "--threaded"), "--ring-size=9");
        assertFalse(Files.exists(journal));
    }

    private static void assertRefused(final CommandRun run, final String named)
    {
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertEquals("", run.out());
        assertOneSentence(run.err());
        assertTrue(run.err().contains(named), run.err());
    }

    static void assertOneSentence(final String err)
    {
        assertEquals(1, err.lines().count(), err);
        assertTrue(err.startsWith("signalbox"), err);
        assertTrue(err.endsWith("." + System.lineSeparator()), err);
        assertFalse(err.contains("Exception:") || err.contains("\tat "), err);
    }
}
