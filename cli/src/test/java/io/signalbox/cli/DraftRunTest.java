// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Answers of one run as the draft script of the next one. */
class DraftRunTest
{
    private static final List<String> PROMPTS = List.of("[1, 2, 3, 4, 5]", "[6, 7, 8]");

    @TempDir
    private Path directory;

    private CommandRun run(final String... options) throws IOException
    {
        final StringBuilder prompts = new StringBuilder();
        for (int i = 0; i < PROMPTS.size(); i++)
        {
            prompts.append("{\"id\": \"p").append(i).append("\", \"prompt\": ").append(PROMPTS.get(i)).append("}\n");
        }
        final List<String> arguments = new ArrayList<>(List.of("run", "--json", "--prompts",
            Files.writeString(directory.resolve("prompts.jsonl"), prompts).toString(), "--max-new-tokens", "12",
            "--journal", directory.resolve("journal-" + System.nanoTime()).toString(), "--out",
            directory.resolve("answers.jsonl").toString()));
        arguments.addAll(List.of(options));
        return CommandRun.of(arguments);
    }

    /** By prompt. */
    private List<String> answers() throws IOException
    {
        final List<String> lines = Files.readAllLines(directory.resolve("answers.jsonl"));
        final List<String> answers = new ArrayList<>();
        for (int i = 0; i < PROMPTS.size(); i++)
        {
            final String id = "\"id\":\"p" + i + "\"";
            final String line = lines.stream().filter(each -> each.contains(id)).findFirst().orElseThrow();
            answers.add(line.replaceAll(".*\"tokens\":(\\[[^]]*]).*", "$1"));
        }
        return answers;
    }

    @Test
    void shouldAnswerAlikeAndAcceptWhatTheScriptSays() throws IOException
    {
        assertEquals(ExitCode.OK, run().exitCode());
        final List<String> answers = answers();
        final StringBuilder lines = new StringBuilder();
        for (int i = 0; i < PROMPTS.size(); i++)
        {
            lines.append("{\"prompt\": ").append(PROMPTS.get(i)).append(", \"note\": {}, \"tokens\": ")
                .append(answers.get(i)).append("}\n\n");
        }
        final Path script = Files.writeString(directory.resolve("script.jsonl"), lines);
        for (final String depth : List.of("1", "2"))
        {
            final CommandRun run =
                run("--draft-tokens", "3", "--steps-in-flight", depth, "--backend-options", "draftScript=" + script);

            assertEquals(ExitCode.OK, run.exitCode(), run.err());
            assertEquals(answers, answers());
            final Map<String, String> document = JsonText.leaves(run.out());
            assertTrue(document.entrySet().stream().anyMatch(entry -> entry.getKey().endsWith("acceptedDrafts") &&
                Integer.parseInt(entry.getValue()) > 10), run.out());
        }
    }

    /** Tokens after a stop token are not emitted, so their drafts do not count as accepted. */
    @Test
    void shouldCountTheDraftsThatWereEmitted() throws IOException
    {
        assertEquals(ExitCode.OK, run().exitCode());
        final List<String> answers = answers();
        final StringBuilder lines = new StringBuilder();
        for (int i = 0; i < PROMPTS.size(); i++)
        {
            lines.append("{\"prompt\": ").append(PROMPTS.get(i)).append(", \"tokens\": ")
                .append(answers.get(i)).append("}\n");
        }
        final Path script = Files.writeString(directory.resolve("script.jsonl"), lines);
        // Within the drafts of the first decoding step.
        final String stop = answers.get(0).split("[^0-9]+")[4];
        final CommandRun run = run("--draft-tokens", "5", "--stop-token", stop,
            "--backend-options", "draftScript=" + script);

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        final Map<String, String> document = JsonText.leaves(run.out());
        final String journal = document.entrySet().stream().filter(entry -> entry.getKey().endsWith("journal.path"))
            .findFirst().orElseThrow().getValue();
        final String lists = CommandRun.of(List.of("inspect", journal, "--accepted-drafts")).out();
        final int listed = Arrays.stream(lists.split("[^0-9]+"))
            .filter(count -> !count.isEmpty()).mapToInt(Integer::parseInt).sum();
        final Map<String, String> inspected = JsonText.leaves(CommandRun.of(List.of("inspect", journal, "--json")).out());

        assertEquals(listed, Integer.parseInt(inspected.get("inFlight.acceptedDrafts")));
        assertTrue(Integer.parseInt(inspected.get("inFlight.draftsAfterStop")) > 0, inspected::toString);
    }

    @Test
    void shouldNotReplaceTheRecordedScriptByAReport() throws IOException
    {
        final String text = "{\"prompt\": [1, 2], \"tokens\": [3]}\n";
        final Path script = Files.writeString(directory.resolve("script.jsonl"), text);
        final CommandRun run = run("--draft-tokens", "1", "--backend-options", "draftScript=" + script);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        final String journal;
        try (Stream<Path> files = Files.list(directory))
        {
            journal = files.filter(Files::isDirectory).findFirst().orElseThrow().toString();
        }
        final CommandRun replay = CommandRun.of("replay", journal, "--recompute", "--json-file", script.toString());
        assertEquals(ExitCode.BAD_INPUT, replay.exitCode(), replay.err());
        assertTrue(replay.err().contains("--json-file=" + script + " is the input of the recorded draftScript, which it " +
            "would replace; give another file."), replay.err());
        assertEquals(text, Files.readString(script));
    }

    @Test
    void shouldRefuseDraftTokensWithoutAScript() throws IOException
    {
        final CommandRun run = run("--draft-tokens", "3");

        assertEquals(ExitCode.BAD_INPUT, run.exitCode());
        assertTrue(run.err().contains("--draft-tokens=3 is more than the 0 draft tokens per entry"), run.err());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "'' | is empty",
        "3 | line 1 of the draft script",
        "{} | lacks 'prompt'",
        "{\"prompt\": [1]} | lacks 'tokens'",
        "{\"prompt\": [1], \"tokens\": [1.5]} | has a 'tokens' that is no list of token ids",
        "{\"prompt\": [-1], \"tokens\": []} | has a 'prompt' that is no list of token ids",
        "{\"prompt\": [99999999999], \"tokens\": []} | has a 'prompt' that is no list of token ids",
        "{\"prompt\": [1], \"tokens\": [1]} {} | has something behind its JSON object",
        "{\"prompt\": [1 | is not valid JSON"})
    void shouldNameTheLineThatCannotBe(final String line, final String sentence) throws IOException
    {
        final Path script = Files.writeString(directory.resolve("script.jsonl"), line == null ? "" : line + "\n");
        final CommandRun run = run("--draft-tokens", "1", "--backend-options", "draftScript=" + script);

        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertTrue(run.err().contains(sentence), run.err());
        assertEquals(1, run.err().lines().filter(each -> each.startsWith("signalbox run:")).count(), run.err());
    }

    @Test
    void shouldNameAScriptThatIsNotThereOrNoText() throws IOException
    {
        final CommandRun missing =
            run("--draft-tokens", "1", "--backend-options", "draftScript=" + directory.resolve("none.jsonl"));
        assertTrue(missing.err().contains("none.jsonl is not there; give a file"), missing.err());
        final Path binary = Files.write(directory.resolve("binary.jsonl"), new byte[] {'{', (byte)0xFF, (byte)0xFE, '\n'});
        final CommandRun noText = run("--draft-tokens", "1", "--backend-options", "draftScript=" + binary);
        assertEquals(ExitCode.BAD_INPUT, noText.exitCode());
        assertTrue(noText.err().contains("is not UTF-8"), noText.err());
    }
}
