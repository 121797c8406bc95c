// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import io.signalbox.TestStrength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A whole {@code simulate} that a signal ends at a random moment, recovered and verified: 3 runs reduced, 150 full. The
 * recovered journal is a prefix of the journal of the whole run.
 */
@Tag("threads")
@Timeout(value = 3, unit = TimeUnit.HOURS)
class KilledRunTest
{
    private static final int MAX_WAIT_MILLIS = 400;
    private static final List<String> RUN = List.of("simulate", "--conversations=60", "--ranks=2", "--kv-blocks=3000",
        "--no-verify", "--journal");

    @Test
    void shouldRecoverABeginningOfTheRun() throws IOException, InterruptedException
    {
        try (FuzzRun run = FuzzRun.open())
        {
            final Path whole = run.directory("whole");
            assertEquals(0, run.worker().run(with(RUN, whole.toString())).exitCode());
            final JournalTruth truth = JournalTruth.of(whole);
            final int kills = TestStrength.count(3, 150);
            final long first = (long)TestStrength.repetition() * kills;
            for (long seed = first; seed < first + kills; seed++)
            {
                final Path journal = run.directory("killed");
                kill(journal, new SplittableRandom(seed));
                check(run, journal, truth, seed);
                FileTrees.delete(journal);
            }
        }
    }

    /** SIGKILL, SIGTERM or SIGINT, a while after the directory of the journal is there. */
    private static void kill(final Path journal, final SplittableRandom random) throws IOException, InterruptedException
    {
        final List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(Worker.jvmFlags());
        line.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m"));
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.signalbox.cli.Main"));
        line.addAll(with(RUN, journal.toString()));
        final Process process = new ProcessBuilder(line).redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        boolean ended = false;
        while (!ended && !Files.exists(journal))
        {
            ended = process.waitFor(1, TimeUnit.MILLISECONDS);
        }
        process.waitFor(random.nextInt(MAX_WAIT_MILLIS), TimeUnit.MILLISECONDS);
        final String signal = Values.pick(List.of("-KILL", "-KILL", "-TERM", "-INT"), random);
        new ProcessBuilder("kill", signal, Long.toString(process.pid())).redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
        process.waitFor();
    }

    private static void check(final FuzzRun run, final Path journal, final JournalTruth truth, final long seed)
        throws IOException
    {
        final long whole = Files.exists(journal) ? SlowJournal.records(journal).size() : 0;
        final Outcome recovered = run.worker().run(List.of("replay", journal.toString(), "--recover", "--verify", "--json"));
        final String text = "seed " + seed + ", " + whole + " whole records: " + recovered;
        assertTrue(whole == 0 ? Set.of(0, 1, 2).contains(recovered.exitCode()) : recovered.exitCode() == 0, text);
        if (whole > 0)
        {
            assertEquals(List.of(), JournalTruth.complaints(recovered.out(), journal, List.of(truth)), text);
        }
        assertEquals(List.of(), new TextOracle().complaints(new Observation(
            List.of("replay"), Set.of(), journal, journal, recovered, null, null)), text);
    }

    private static List<String> with(final List<String> words, final String last)
    {
        final List<String> all = new ArrayList<>(words);
        all.add(last);
        return all;
    }
}
