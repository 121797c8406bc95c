// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.TestStrength;
import io.signalbox.scheduler.BatchSettings;
import io.signalbox.scheduler.Scheduler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Journals of schema version 5: later builds must read them as they are. A journal of version 4 is refused. */
@Tag("threads")
final class GoldenJournalTest
{
    /** Facts of each golden journal. */
    enum Golden
    {
        /**
         * {@code simulate --trace requests.jsonl --ranks 2 --block-size 4 --kv-blocks 60 --max-running 8 --step-tokens 64
         * --draft-tokens 2 --moe-layers 2 --experts 16 --top-k 2 --depth 1 --combine-weights --faults 'rank 1 step 12 lost
         * back-after 100ms'}: combine weights, draft tokens, preemptions, a lost rank.
         */
        SIMULATED("version-5-simulated",
            "211 records, 210 groups, digest 6ee218d44bd86eae, CLOSED, equal",
            "{\"records\": 211, \"groups\": 210, \"outputTokens\": 588, \"rows\": 1325, \"messages\": {\"1\": 24, " +
                "\"3\": 24, \"4\": 1, \"6\": 80, \"7\": 79, \"8\": 1, \"10\": 1, \"20\": 24, \"22\": 32, " +
                "\"23\": 80, \"24\": 79, \"25\": 24, \"27\": 11, \"28\": 1}, \"digest\": \"6ee218d44bd86eae\"}"),
        /** {@code GoldenRun}: killed, continued, given new weights, closed with requests, continued again. */
        RESTARTED("version-5-restarted",
            "151 records, 150 groups, digest a742bf49a64dbd33, CLOSED, equal",
            "{\"records\": 151, \"groups\": 150, \"outputTokens\": 135, \"rows\": 600, \"messages\": {\"1\": 15, \"2\": " +
                "1, \"3\": 2, \"4\": 2, \"6\": 64, \"7\": 64, \"10\": 2, \"20\": 15, \"22\": 14, \"23\": 68, \"24\": 64, " +
                "\"25\": 15, \"26\": 9, \"27\": 15, \"28\": 4, \"29\": 1}, \"digest\": \"a742bf49a64dbd33\"}"),
        /**
         * The first journal with {@code --depth 2}, without combine weights, and with {@code --faults 'rank
         * 0 step 8 failed; rank 0 step 9 failed; failed=0.08'}: failed steps, whose requests take turns with other requests;
         * two steps in flight.
         */
        TURNS("version-5-turns",
            "236 records, 235 groups, digest 04d1dee58da2dc22, CLOSED, equal",
            "{\"records\": 236, \"groups\": 235, \"outputTokens\": 588, \"rows\": 1373, \"messages\": {\"1\": 24, \"3\": " +
                "24, \"4\": 3, \"6\": 94, \"7\": 86, \"8\": 4, \"20\": 24, \"22\": 24, \"23\": 94, \"24\": 86, " +
                "\"25\": 24, \"27\": 22, \"28\": 8}, \"digest\": \"04d1dee58da2dc22\"}"),
        /** {@code GoldenRisenRun}: killed, then continued under a later version of its router. */
        RISEN("version-5-risen",
            "127 records, 126 groups, digest 8628f1e12750dfd3, CLOSED, equal",
            "{\"records\": 127, \"groups\": 126, \"outputTokens\": 146, \"rows\": 548, \"messages\": {\"1\": 24, \"4\": " +
                "2, \"6\": 49, \"7\": 49, \"10\": 1, \"11\": 1, \"20\": 24, \"22\": 24, \"23\": 51, \"24\": 49, " +
                "\"25\": 24, \"26\": 7, \"27\": 10, \"28\": 2}, \"digest\": \"8628f1e12750dfd3\"}");

        private final String file;
        private final String verified;
        private final String read;

        Golden(final String file, final String verified, final String read)
        {
            this.file = file;
            this.verified = verified;
            this.read = read;
        }
    }

    @TempDir
    private Path directory;

    private static boolean runs(final String... command)
    {
        try
        {
            return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start().waitFor() == 0;
        }
        catch (final IOException e)
        {
            return false;
        }
        catch (final InterruptedException e)
        {
            throw new IllegalStateException(e);
        }
    }

    private static String output(final List<String> command) throws Exception
    {
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertEquals(0, process.waitFor(), printed);
        return printed;
    }

    @ParameterizedTest
    @EnumSource
    void shouldVerify(final Golden golden) throws Exception
    {
        final Path journal = GoldenJournal.unpack(golden.file, directory);

        assertEquals(golden.verified, GoldenJournal.verified(journal));
    }

    @Test
    void shouldNameTheCommitThatReadsVersion4() throws Exception
    {
        final Path journal = GoldenJournal.unpack("version-4-turns", directory);

        final JournalException refusal = assertThrows(JournalException.class, () -> GoldenJournal.verified(journal));

        assertEquals(JournalException.Kind.UNSUPPORTED_VERSION, refusal.kind());
        final String message = refusal.getMessage();
        assertTrue(message.endsWith("record 0: the record has schema version 4, and this program reads version 5; the " +
            "last commit that reads version 4 is e6420428; no record precedes it, so nothing is left to read; check out " +
            "that commit and read the journal with it."), message);
    }

    /** The run description names the rule for suspects and other requests. */
    @Test
    void shouldDecideBySuspectsAsTheRunDid() throws Exception
    {
        final Path journal = GoldenJournal.unpack(Golden.TURNS.file, directory);
        for (final boolean takesTurns : new boolean[] {false, true})
        {
            assertEquals(takesTurns, JournalVerifier.verify(journal, config -> new Scheduler(
                config.toBuilder().set(BatchSettings.SUSPECT_TURNS, takesTurns).build())).matches());
        }
    }

    /** docs/examples/read_journal.py was written from docs/journal.md; it reads rows and checks their checksums. */
    @ParameterizedTest
    @EnumSource
    void shouldBeReadByTheExampleInPython(final Golden golden) throws Exception
    {
        assumeTrue(runs("python3", "-c", "import sys; assert sys.version_info >= (3, 8)"),
            "python3, 3.8 or newer, is absent: docs/examples/read_journal.py is not run");
        final Path journal = GoldenJournal.unpack(golden.file, directory);

        assertEquals(golden.read, output(List.of("python3", Path.of(System.getProperty("signalbox.root"),
            "docs/examples/read_journal.py").toString(), journal.toString())));
    }

    /** Compilers, collectors, locale, time zone and version of Java change nothing. */
    @Test
    void shouldHaveOneDigestInEveryJvm() throws Exception
    {
        final Path journal = GoldenJournal.unpack(Golden.SIMULATED.file, directory);
        for (final List<String> command : jvms())
        {
            final List<String> all = new ArrayList<>(command);
            all.addAll(List.of("-Xmx256m", "-cp", System.getProperty("java.class.path"), GoldenJournal.class.getName(),
                journal.toString()));
            assertEquals(Golden.SIMULATED.verified, output(all), command.toString());
        }
    }

    private static List<List<String>> jvms() throws IOException
    {
        final List<List<String>> jvms = new ArrayList<>();
        final Path home = Path.of(System.getProperty("java.home"));
        jvms.add(jvm(home, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Duser.language=tr", "-Duser.country=TR",
            "-Duser.timezone=Asia/Kathmandu", "-Dfile.encoding=ISO-8859-1"));
        if (TestStrength.isFull())
        {
            try (Stream<Path> homes = Files.list(home.getParent()))
            {
                for (final Path each : homes.filter(Files::isDirectory).filter(path -> version(path) >= 17).toList())
                {
                    jvms.add(jvm(each, "-Xint"));
                    for (final String collector : List.of("Serial", "G1", "Parallel", "Z"))
                    {
                        jvms.add(jvm(each, "-XX:+Use" + collector + "GC"));
                        jvms.add(jvm(each, "-XX:+Use" + collector + "GC", "-XX:TieredStopAtLevel=1"));
                    }
                }
            }
        }
        return jvms;
    }

    private static List<String> jvm(final Path home, final String... flags)
    {
        final Path scripts = Path.of(System.getProperty("signalbox.root"), "scripts");
        final List<String> command = new ArrayList<>(
            List.of(home.resolve("bin/java").toString(), "@" + scripts.resolve("jvm.flags")));
        if (version(home) >= 24)
        {
            command.add("@" + scripts.resolve("jvm-24.flags"));
        }
        command.addAll(Arrays.asList(flags));
        return command;
    }

    /** The feature version of a Java home; 0 if it is none. */
    private static int version(final Path home)
    {
        try
        {
            return Files.readAllLines(home.resolve("release")).stream().filter(line -> line.startsWith("JAVA_VERSION="))
                .mapToInt(line -> Integer.parseInt(line.replaceAll("[^\"]*\"([0-9]+).*", "$1"))).findFirst().orElse(0);
        }
        catch (final IOException e)
        {
            return 0;
        }
    }
}
