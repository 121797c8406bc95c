// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.CommandFailure;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.HeapShortage;
import io.signalbox.printing.OutputFile;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Inputs that try to hang, exhaust or mislead a command end in one sentence and exit code 2. */
@Tag("threads")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class HostileInputTest
{
    @TempDir
    private Path directory;

    private static void assertRefused(final CommandRun run, final String named)
    {
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertEquals("", run.out());
        BadInputTest.assertOneSentence(run.err());
        assertTrue(run.err().contains(named), run.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "\u0663", "5f", "5d", "0x1p3", "0x10", "1_000", " 5 ", "+5", "NaN", "Infinity", "\uff15", "5.", ".5", "1e",
        "--5", ""})
    void shouldReadNumbersByOneGrammarOnly(final String number)
    {
        for (final String option : List.of("--ranks", "--seed", "--cancel-fraction", "--stagger", "--beta"))
        {
            assertRefused(CommandRun.of("simulate", option + "=" + number), option);
        }
        assertRefused(CommandRun.of("compare", "--kv-blocks=" + number), "--kv-blocks");
        assertRefused(CommandRun.of("inspect", "events", "runs/0001", "--request=" + number), "--request");
        assertRefused(CommandRun.of("inspect", "moment", "runs/0001", "record:" + number), "MOMENT");
        assertRefused(CommandRun.of("gpu", "--seed=" + number), "--seed");
        assertRefused(CommandRun.of("simulate", "--turns=fixed:" + number), "--turns=fixed:");
        assertRefused(CommandRun.of("simulate", "--arrivals=poisson:" + number), "--arrivals=poisson:");
        assertRefused(CommandRun.of("simulate", "--router-options=backlog=" + number), "backlog");
    }

    /** The limit is found when so many requests were made. */
    @EnabledIfSystemProperty(named = "signalbox.tests", matches = "full")
    @Test
    void shouldRefuseAWorkloadOfTooManyRequests()
    {
        shouldEndInOneSentence("simulate --conversations 10000000 --turns fixed:2 --max-context 16777216",
            "--turns=fixed:2 make more than 10000000");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        simulate --ranks 99999999999999999999 | '99999999999999999999' is too large; give a smaller number
        simulate --think-time 1e-400          | '1e-400' is too near to 0
        simulate --router-options reuseWeight= | --router-options: reuseWeight has no value; give it one, such as
        simulate --router-options backlog=5f  | --router-options: backlog has the value '5f', which is neither a number nor
        simulate --no-journal --durability batch | --durability concerns the journal, and --no-journal writes none
        simulate --no-journal --no-verify     | --no-verify concerns the journal, and --no-journal writes none
        simulate --cancel-after 3             | --cancel-after needs --cancel-fraction above 0, and it is 0.0
        simulate --cancel-after 3 --cancel-fraction 0 | --cancel-after needs --cancel-fraction above 0, and it is 0.0
        simulate --eviction lru --no-prefix-caching | --eviction needs --prefix-caching, and it is off
        compare --eviction lru --no-prefix-caching | --eviction needs --prefix-caching
        gpu --sections device --rounds 3      | --rounds is for the section routers, and --sections names other ones
        gpu --sections routers --samples 10   | --samples is for the section latency or launches or turnaround
        gpu --sections steps --cells 1        | --cells is for the section turnaround or overhead, and --sections names
        gpu --sections steps --sanitizer-limit 9 | --sanitizer-limit is for the section sanitizer, and --sections names
        simulate @/etc                        | '@/etc'
        simulate --trace @/etc                | the trace @/etc is not there
        compare --seed 9223372036854775807    | --seed=9223372036854775807 leaves no room for --seeds=3
        simulate --arrivals poisson:1e-6 --conversations 9999 | with --arrivals=poisson:1.0E-6 conversation
        """)
    void shouldEndInOneSentence(final String arguments, final String named)
    {
        assertRefused(CommandRun.of(arguments.split(" ")), named);
    }

    @Test
    void shouldNotWaitForAPipe() throws IOException, InterruptedException
    {
        final Path pipe = directory.resolve("pipe");
        Assumptions.assumeTrue(hasPipe(pipe), "skipped: this system makes no named pipes");
        for (final String[] arguments : new String[][] {
            {"simulate", "--trace", pipe.toString()}, {"simulate", "--router-config", pipe.toString()},
            {"compare", "--workloads", pipe.toString()},
            {"simulate", "--arrivals", "replayed:" + pipe}, {"simulate", "--cost", pipe.toString()},
            {"calibrate", "--score", pipe.toString()},
            {"serve", "--port=0", "--no-journal", "--api-key-file", pipe.toString()},
            {"serve", "--port=0", "--no-journal", "--admin-key-file", pipe.toString()}})
        {
            assertRefused(CommandRun.of(arguments), pipe + " is a pipe, a socket or a device, and not a regular file");
        }
    }

    /** A hole of 1 TiB has no end of a line, and is longer than memory. */
    @Test
    void shouldNotReadAFileWithoutEnd() throws IOException
    {
        final Path hole = directory.resolve("hole.jsonl");
        try (RandomAccessFile file = new RandomAccessFile(hole.toFile(), "rw"))
        {
            file.setLength(1L << 40);
        }
        assertRefused(CommandRun.of("calibrate", "--score", hole.toString()), "line 1, has more than 1048576 characters");
        assertRefused(CommandRun.of("simulate", "--cost", hole.toString()), "has more than 1048576 bytes");
        final CommandRun run =
            CommandRun.of("run", "--draft-tokens=2", "--no-journal", "--backend-options=draftScript=" + hole);
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertTrue(run.err().contains("has more than 268435456 bytes; give a script of fewer prompts."), run.err());
        assertRefused(CommandRun.of("serve", "--port=0", "--no-journal", "--api-key-file", hole.toString()),
            "has more than 1048576 bytes");
        assertRefused(CommandRun.of("simulate", "--trace-format=azure", "--trace", hole.toString()),
            "line 1, has more than 67108864 characters, the most that a line may have; give a file with shorter lines.");
    }

    private static boolean hasPipe(final Path pipe) throws InterruptedException
    {
        try
        {
            return new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0;
        }
        catch (final IOException e)
        {
            return false;
        }
    }

    @Test
    void shouldRefuseADirectoryAsInput()
    {
        for (final String option : List.of("--trace", "--router-config"))
        {
            assertRefused(CommandRun.of("simulate", option, directory.toString()), directory + " is a directory");
        }
        assertRefused(CommandRun.of("compare", "--workloads", directory.toString()), directory + " is a directory");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\u00a7', textBlock = """
        !!int abc                | has the tag !!int in line 1; leave the tag out.
        !!float abc              | has the tag !!float in line 1
        !!binary "$$$"           | has the tag !!binary in line 1
        !!java.net.URL [x]       | has the tag !!java.net.URL in line 1
        !mine 5                  | has the tag !mine in line 1
        &a 1                     | has the anchor &a in line 1; write the value out.
        *a                       | has the alias *a in line 1
        ._                       | is not YAML
        0b_                      | give a number
        [[[[[[[[[1]]]]]]]]]      | is nested more than 8 deep in line 1
        """)
    void shouldRefuseYamlBeyondPlainValues(final String value, final String named) throws IOException
    {
        final Path file = Files.writeString(directory.resolve("router.yaml"),
            "kv_cache_routing_load_balance_weight: " + value + "\n");
        assertRefused(CommandRun.of("simulate", "--router-config", file.toString()), named);
    }

    /** Ten thousand levels took minutes, since the scanner looks at every level for each token. */
    @Test
    void shouldRefuseLargeAndDeepYamlAtOnce() throws IOException
    {
        final Path file = Files.writeString(directory.resolve("router.yaml"), "[".repeat(65_536));
        assertRefused(CommandRun.of("simulate", "--router-config", file.toString()), "is nested more than 8 deep in line 1");
        Files.writeString(file, "#".repeat(65_537));
        assertRefused(CommandRun.of("simulate", "--router-config", file.toString()), "has more than 65536 bytes");
    }

    @Test
    void shouldKeepTheTableWhenAFileCannotBeWritten() throws IOException
    {
        final Path file = directory.resolve("routers.csv");
        Files.writeString(file, "as before");
        final OutputFile output = OutputFile.reserve("--csv", file, 100_000);
        assertEquals(2, entries().size(), "the room is taken before the work");
        assertEquals("as before", Files.readString(file));
        for (final Path reserved : entries())
        {
            if (!reserved.equals(file))
            {
                Files.delete(reserved);
            }
        }
        final String message = assertThrows(ConfigException.class, () -> output.write("text")).getMessage();
        assertTrue(message.startsWith("--csv=" + file + " cannot be written ("), message);
        output.close();
        assertEquals("as before", Files.readString(file));
    }

    @Test
    void shouldWriteFilesInOneStepAndLeaveNothingBeside() throws IOException
    {
        final Path csv = Files.writeString(directory.resolve("routers.csv"), "as before");
        final Path json = directory.resolve("routers.json");
        final String[] command = {"compare", "--router", "default,signalbox", "--conversations", "3", "--seeds", "1",
            "--csv-file", csv.toString(), "--json-file", json.toString()};
        assertEquals(ExitCode.OK, CommandRun.of(command).exitCode());
        assertEquals(List.of(csv, json), entries());
        assertTrue(Files.readString(csv).startsWith("workload,kvBlocks,router,"));
        assertTrue(Files.readString(json).endsWith("}\n"));

        final CommandRun failed = CommandRun.of("compare", "--workers", "0", "--csv-file", csv.toString());
        assertRefused(failed, "--workers=0");
        assertEquals(List.of(csv, json), entries());
        assertTrue(Files.readString(csv).startsWith("workload,kvBlocks,router,"));
    }

    @Test
    void shouldRefuseToReplaceATraceByItsResult() throws IOException
    {
        final Path trace = Files.writeString(directory.resolve("trace.jsonl"),
            "{\"timestamp\": 0, \"input_length\": 5, \"output_length\": 5, \"hash_ids\": [1]}\n");
        assertRefused(CommandRun.of("compare", "--workloads", trace.toString(), "--csv-file", trace.toString()),
            "is the input of --workloads, which it would replace");
        assertRefused(CommandRun.of("simulate", "--trace", trace.toString(), "--json-file", trace.toString()),
            "is the input of --trace, which it would replace");
    }

    private List<Path> entries() throws IOException
    {
        try (var entries = Files.list(directory))
        {
            return entries.sorted().toList();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "Java heap space|the Java heap of ",
        "GC overhead limit exceeded|the Java heap of ",
        "Cannot reserve 8 bytes of direct buffer memory (allocated: 1, limit: 2)|the direct memory of the JVM is used up",
        "unable to create native thread: possibly out of memory|the system allows this process no further thread",
        "Map failed|the system maps no further file into this process",
        "Metaspace|the JVM has no room for its classes (Metaspace)",
        "something else|the JVM ran out of memory (something else)"})
    void shouldNameTheMemoryThatRanOut(final String message, final String expected)
    {
        final CommandFailure refusal = CommandFailure.of(new IllegalStateException(new OutOfMemoryError(message)));
        assertEquals(ExitCode.BAD_INPUT, refusal.exitCode());
        assertTrue(refusal.sentence().contains(expected), refusal.sentence());
        assertEquals(message.contains("Java heap") || message.contains("GC"), refusal.sentence().contains("KV blocks"));
    }

    @Test
    void shouldNameTheInputThatTheHeapCannotHold()
    {
        final String sentence = assertThrows(ConfigException.class, () -> HeapShortage.named("the trace t", "give a part",
            () ->
            {
                throw new OutOfMemoryError("Java heap space");
            })).getMessage();
        assertTrue(sentence.startsWith("the trace t needs more than the Java heap of "), sentence);
        assertThrows(OutOfMemoryError.class, () -> HeapShortage.named("the trace t", "give a part of it",
            () ->
            {
                throw new OutOfMemoryError("unable to create native thread");
            }));
    }
}
