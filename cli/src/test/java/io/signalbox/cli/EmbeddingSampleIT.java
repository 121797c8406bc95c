// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Runs the programs that samples/embedding makes in its build. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EmbeddingSampleIT
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));
    private static final SampleBuild BUILD = new SampleBuild("embedding");

    @TempDir
    private Path directory;

    @Test
    void shouldPassItsOwnTests() throws Exception
    {
        assertTrue(BUILD.tests() >= 20, BUILD.tests() + " tests, those of the contract for two backends");
    }

    /** Returns the lines that the program prints. */
    private static List<String> run(final String program, final String... arguments) throws Exception
    {
        return BUILD.printed("com.example.embedding." + program, arguments);
    }

    @Test
    void shouldPrintTheFirstTokens() throws Exception
    {
        assertEquals(
            List.of("token 11", "token 22", "token 33", "token 11", "token 22", "ended by LENGTH after 5 tokens"),
            run("FirstTokens"));
    }

    @Test
    void shouldAcceptDraftTokens() throws Exception
    {
        assertEquals(List.of("120 tokens, 3 or more per step"), run("DraftedTokens"));
    }

    @Test
    void shouldStreamCancelRefuseAndExportWithAJournalAndARestart() throws Exception
    {
        final Path rows = directory.resolve("rows.npz");
        final Path journal = directory.resolve("journal");
        final List<String> printed = List.of("streamed 1", "streamed 2", "streamed 3", "streamed 1", "ended by CANCELLED",
            "refused: TOO_LONG_FOR_POOL, come again after a change",
            "42 rows of 4 layers and top-2 from position 0: 10 captured, 32 inherited, 0 missing",
            "drained");
        assertEquals(printed, run("MockEngine", journal.toString(), rows.toString()));
        assertTrue(Files.size(rows) > 0);

        final List<String> again =
            run("MockEngine", journal.toString(), directory.resolve("again.npz").toString());
        assertEquals("request 1 of before has 4 tokens", again.get(0));
        assertEquals(printed, again.stream().filter(line -> !line.contains(" of before has ")).toList());
        assertEquals(0, CommandRun.of("replay", journal.toString(), "--verify").exitCode());
    }

    @Test
    void shouldAskAJournal() throws Exception
    {
        final String journal = directory.resolve("asked").toString();
        assertEquals(0, CommandRun.of("simulate", "--conversations", "20", "--ranks", "2", "--no-capture", "--no-verify",
            "--journal", journal).exitCode());
        assertEquals(List.of("request 3 ran on rank 1 and has 95 tokens", "round-robin decides 120 of 357 otherwise"),
            run("AskJournal", journal, "3", "round-robin"));
    }

    @Test
    void shouldShareBlocksAndRowsWithoutAnEngine() throws Exception
    {
        assertEquals(List.of("first: blocks [5, 6, 7], 0 shared, 12 rows stored",
            "second: blocks [5, 6, 4], 2 shared, 4 rows stored",
            "released: 0 blocks owned, 4 cached",
            "third: blocks [0, 1, 2, 3, 7, 4], 0 shared, 24 rows stored",
            "first prompt: 2 of 3 blocks cached, experts of token 5: [5, 6, 7, 0]"), run("SharedPrefix"));
    }

    @Test
    void shouldCollectTheRowsOfEveryRollout() throws Exception
    {
        final Path rollouts = Files.createDirectory(directory.resolve("rollouts"));
        assertEquals(List.of("first policy, generation 0: 12 rollouts, 564 rows, all there",
            "second policy, generation 1: 12 rollouts, 564 rows, all there"), run("RolloutWorker", rollouts.toString()));
        try (Stream<Path> files = Files.list(rollouts))
        {
            assertEquals(24, files.count());
        }
    }

    @Test
    void shouldReplaceTheWeightsOfAModelAndComputeEveryGenerationAgain() throws Exception
    {
        final String journal = directory.resolve("journal").toString();
        assertEquals(List.of("steps compute with generation 1",
            "policy 0: 8 rollouts, 336 rows of its weights or later ones",
            "steps compute with generation 2", "policy 1: 8 rollouts, 336 rows of its weights or later ones",
            "policy 2: 8 rollouts, 336 rows of its weights or later ones", "generation 2 at the end"),
            run("PolicyLoop", journal));
        final CommandRun again =
            CommandRun.of("replay", journal, "--recompute", "--model-seed", "1", "--new-model-seed", "2,3");
        assertEquals(0, again.exitCode(), again.err() + again.out());
        assertTrue(again.out().contains("\nnewModel2         as recorded: "), again.out());
    }

    @Test
    void shouldPrintAScrape() throws Exception
    {
        final List<String> scrape = run("ScrapedEngine");
        for (final String line : List.of(
            "# TYPE vllm:time_to_first_token_seconds histogram",
            "vllm:time_to_first_token_seconds_count{engine=\"0\"} 4",
            "vllm:request_success_total{engine=\"0\",finished_reason=\"length\"} 4.0",
            "signalbox_rows_total{engine=\"0\",state=\"captured\"} 72.0",
            "signalbox_rows_total{engine=\"0\",state=\"inherited\"} 96.0"))
        {
            assertTrue(scrape.contains(line), () -> line + " is not in " + String.join("\n", scrape));
        }
        // The page shows lines of this scrape; how long requests take differs.
        final String page = Files.readString(ROOT.resolve("docs/metrics.md"));
        final String shown = page.substring(page.indexOf("# HELP"), page.indexOf("```", page.indexOf("# HELP")));
        assertEquals(List.of(), shown.lines().filter(line -> !line.contains("_bucket") && !scrape.contains(line)).toList());
    }
}
