// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.BadInputTest;
import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class TraceCommandTest
{
    @TempDir
    private Path directory;

    private Map<String, String> simulate(final String journal, final String... options)
    {
        final List<String> arguments = new ArrayList<>(List.of(
            "simulate", "--ranks=2", "--no-verify", "--json", "--journal", directory.resolve(journal).toString()));
        arguments.addAll(List.of(options));
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        // The names of blocks decide the experts of their tokens.
        final Map<String, String> report = new TreeMap<>(JsonText.leaves(run.out()));
        report.keySet().removeIf(field ->
            field.matches("wallClock\\..*|journal\\..*|settings\\.workload\\..*|routedExperts\\.loadSkew.*"));
        return report;
    }

    private Path trace(final String journal, final String file, final String... options)
    {
        final Path out = directory.resolve(file);
        final List<String> arguments = new ArrayList<>(
            List.of("trace", directory.resolve(journal).toString(), "--out", out.toString()));
        arguments.addAll(List.of(options));
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return out;
    }

    /** Simulates a trace, makes a trace of its journal, and simulates that. */
    private void assertSameRun(final Path first, final String form, final String... options) throws IOException
    {
        final List<String> given = new ArrayList<>(List.of(options));
        given.add("--trace=" + first);
        final Map<String, String> report = simulate("first", given.toArray(new String[0]));
        final Path second = trace("first", "second.jsonl", "--format", form);
        given.set(given.size() - 1, "--trace=" + second);

        assertEquals(report, simulate("second", given.toArray(new String[0])));
        assertEquals(numbered(second), numbered(trace("second", "third.jsonl", "--format", form)));
    }

    /** The lines with blocks numbered in the order in which they come: Mooncake's form names them anew. */
    private static List<String> numbered(final Path trace) throws IOException
    {
        final Map<String, Integer> numbers = new HashMap<>();
        return Files.readAllLines(trace).stream().map(line -> Pattern.compile("\\d{12,}").matcher(line)
            .replaceAll(id -> "#" + numbers.computeIfAbsent(id.group(), key -> numbers.size()))).toList();
    }

    @Test
    void shouldRunAgainAsItRan() throws IOException
    {
        simulate("generated", "--conversations=9", "--system-prompt=50", "--output-tokens=fixed:20", "--tenants=a=2,b=1",
            "--cancel-fraction=0.3", "--cancel-after=0.1");
        final Path first = trace("generated", "first.jsonl.gz");

        assertSameRun(first, "signalbox", "--kv-blocks=700");
        assertTrue(Files.readString(directory.resolve("second.jsonl")).contains("\"predecessor\":"));
        assertTrue(Files.readString(directory.resolve("second.jsonl")).contains("\"cancel_after_ns\":"));
        assertTrue(Files.readString(directory.resolve("second.jsonl")).contains("\"tenant\":\"a\""));
    }

    /** The next turn finds the answer of the previous turn, with any block size. */
    @ParameterizedTest
    @ValueSource(ints = {16, 64, 48})
    void shouldShareTheAnswersThatWereShared(final int blockSize) throws IOException
    {
        final String[] pool = {"--block-size=" + blockSize, "--kv-blocks=20000"};
        final List<String> options = new ArrayList<>(List.of("--conversations=12", "--cancel-fraction=0.1"));
        final Map<String, String> recorded = simulate("answers", options.toArray(new String[0]));
        assertTrue(Integer.parseInt(recorded.get("prefixCache.generatedBlocks")) > 100, recorded::toString);
        final Path trace = trace("answers", "answers.jsonl");
        options.addAll(List.of(pool));
        final Map<String, String> generated = simulate("generated", options.toArray(new String[0]));
        final Map<String, String> again = simulate("again", pool[0], pool[1], "--trace=" + trace);

        assertTrue(Files.readString(trace).contains("\"answer_blocks\":["));
        final double computed = Double.parseDouble(generated.get("tokens"));
        assertEquals(computed, Double.parseDouble(again.get("tokens")), 0.05 * computed);
        assertEquals(Double.parseDouble(generated.get("prefixCache.tokenHitRate")),
            Double.parseDouble(again.get("prefixCache.tokenHitRate")), 0.01);
    }

    @Test
    void shouldSayWhichAnswersAreNotInTheTrace()
    {
        simulate("answers", "--conversations=9");
        final List<String> arguments = List.of("trace", directory.resolve("answers").toString(), "--out");
        final List<String> mooncake = new ArrayList<>(arguments);
        mooncake.addAll(List.of(directory.resolve("m.jsonl").toString(), "--format=mooncake"));
        final String text = CommandRun.of(mooncake).out();
        assertTrue(text.matches("(?s).*\nanswers +([\\d,]+) blocks filled by decoding, \\1 of them not in the trace: " +
            "this form names blocks of prompts only; .*"), text);
        final List<String> own = new ArrayList<>(arguments);
        own.addAll(List.of(directory.resolve("s.jsonl").toString(), "--json"));
        final Map<String, String> document = JsonText.leaves(CommandRun.of(own).out());
        assertEquals("0", document.get("answerBlocksLeftOut"));
        assertTrue(Integer.parseInt(document.get("answerBlocks")) > 100, document::toString);
    }

    @Test
    void shouldRunAgainInMooncakesForm() throws IOException
    {
        final Path first = Files.writeString(directory.resolve("first.jsonl"), """
            {"timestamp": 0, "input_length": 1100, "output_length": 9, "hash_ids": [1, 2, 3]}
            {"timestamp": 27, "input_length": 1536, "output_length": 30, "hash_ids": [1, 2, 4]}
            {"timestamp": 900, "input_length": 1600, "output_length": 2, "hash_ids": [1, 2, 4, 9]}
            {"timestamp": 1900, "input_length": 400, "output_length": 0, "hash_ids": [7]}
            """);

        assertSameRun(first, "mooncake", "--block-size=512");
        final String line = Files.readAllLines(directory.resolve("second.jsonl")).get(1);
        assertTrue(line.startsWith("{\"timestamp\":27,\"input_length\":1536,\"output_length\":30,\"hash_ids\":["), line);
    }

    /** Blocks of 16 name the ends of trace blocks of 512 exactly; only the tail of a prompt is unknown. */
    @Test
    void shouldKeepPrefixesOfSmallBlocksInMooncakesForm() throws IOException
    {
        simulate("small", "--conversations=6", "--turns=fixed:2", "--output-tokens=fixed:9", "--system-prompt=1024",
            "--block-size=16");
        final Path trace = trace("small", "small.jsonl", "--format=mooncake");

        final List<String> lines = Files.readAllLines(trace);
        final String system = lines.get(0).replaceFirst(".*\"hash_ids\":\\[(\\d+,\\d+).*", "$1");
        assertTrue(system.matches("\\d+,\\d+"), system);
        assertTrue(lines.stream().allMatch(line -> line.contains("\"hash_ids\":[" + system)), "all share 1,024 tokens");
        assertEquals(Integer.toString(lines.size()),
            simulate("again", "--trace=" + trace).get("requests.completed"));
    }

    @Test
    void shouldBeReadByCompare() throws IOException
    {
        simulate("run", "--conversations=4", "--turns=fixed:2");
        final CommandRun run = CommandRun.of("compare", "--workloads=" + trace("run", "run.jsonl"), "--ranks=2",
            "--seeds=2", "--router=default", "--workers=1", "--csv");

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertTrue(run.out().contains("run.jsonl,"), run.out());
    }

    @Test
    void shouldRefuseInOneSentence() throws IOException
    {
        simulate("run", "--conversations=2", "--turns=fixed:1");
        final String journal = directory.resolve("run").toString();
        final Path there = Files.writeString(directory.resolve("there"), "kept");

        assertRefused(
            "--out=" + there + " exists, and files are never overwritten; give a new one.", journal, there.toString());
        assertRefused("is a part of a journal", journal, journal + "/segment-00001");
        assertRefused("cannot be written", journal, directory.resolve("absent/x").toString());
        assertRefused("absent", directory.resolve("absent").toString(), directory.resolve("x").toString());
        assertEquals("kept", Files.readString(there));
        DamagedSegment.flipInRecord(directory.resolve("run"), 40);
        final Path out = directory.resolve("out");
        assertEquals(ExitCode.CHECK_FAILED, CommandRun.of("trace", journal, "--out=" + out).exitCode());
        assertFalse(Files.exists(out));
        try (var left = Files.list(directory))
        {
            assertTrue(left.noneMatch(path -> path.toString().endsWith(".part")));
        }
    }

    private static void assertRefused(final String sentence, final String journal, final String out)
    {
        final CommandRun run = CommandRun.of("trace", journal, "--out=" + out);
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        BadInputTest.assertOneSentence(run.err());
        assertTrue(run.err().contains(sentence), run.err());
    }
}
