// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Real models through the engine, as a user runs them. */
class RunCommandTest
{
    /** Of the fixture's reference.npz: prompt 3 of block f32, its greedy continuation, and experts of the first tokens. */
    private static final String PROMPT = "[297, 218, 96, 83, 177, 76, 250, 91, 169, 209, 269, 277, 27, 248, 282, 75]";
    private static final String ANSWER =
        "57,242,76,74,172,216,157,211,131,215,280,7,26,0,52,84,153,104,87,265,3,234,44,43";
    private static final String EXPERTS =
        "[[[5],[2]],[[0],[3]],[[2],[4]],[[1],[4]],[[7],[0]],[[4],[5]],[[0],[3]],[[7],[3]]," +
        "[[5],[3]],[[1],[2]],[[5],[3]],[[1],[6]],[[0],[1]],[[2],[5]],[[2],[0]],[[6],[1]],[[6],[4]],[[2],[1]],[[4],[5]]," +
        "[[2],[3]],[[5],[5]],[[5],[1]],[[1],[4]],[[4],[0]],[[1],[6]],[[2],[6]],[[5],[5]],[[0],[7]],[[3],[2]],[[1],[1]]," +
        "[[5],[3]],[[1],[0]],[[1],[0]],[[4],[0]],[[3],[2]],[[6],[4]],[[3],[0]],[[5],[5]],[[2],[7]]]";

    private static final String TIMES = ",\"(first_token|total)_ms\":[^,}]*";

    @TempDir
    private Path directory;
    private Path output;
    private Path prompts;

    @BeforeEach
    void nameFiles()
    {
        output = directory.resolve("answers.jsonl");
        prompts = directory.resolve("prompts.jsonl");
    }

    private Path checkpoint() throws IOException
    {
        return CheckpointFixture.unpack(directory.resolve("model"));
    }

    private CommandRun run(final String... options)
    {
        final List<String> arguments = new ArrayList<>(List.of("run"));
        arguments.addAll(Arrays.asList(options));
        if (!arguments.contains("--no-journal"))
        {
            arguments.addAll(List.of("--journal", directory.resolve("journal-" + System.nanoTime()).toString()));
        }
        return CommandRun.of(arguments);
    }

    private List<Map<String, String>> answers() throws IOException
    {
        return Files.readAllLines(output).stream().map(JsonText::leaves).toList();
    }

    private List<String> answerLines() throws IOException
    {
        return Files.readAllLines(output).stream().map(line -> line.replaceAll(TIMES, "")).toList();
    }

    @Test
    void shouldAnswerBuiltInPromptsWithTheBuiltInModel()
    {
        final CommandRun run = run();

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertTrue(run.out().contains("8 submitted: 8 completed, 0 cancelled, 0 failed"), run.out());
        assertTrue(run.out().contains(", 0 missing"), run.out());
        assertTrue(run.out().contains("verified          yes"), run.out());
        assertTrue(run.err().contains("qwen3_moe, 364,224 weights as float32"), run.err());
    }

    @Test
    void shouldAnswerAsTransformersDoesAndReportTheSameExperts() throws Exception
    {
        Files.writeString(prompts, "{\"id\": \"a\", \"prompt\": " + PROMPT + ", \"max_new_tokens\": 24}\n" +
            "{\"prompt\": " + PROMPT + ", \"max_new_tokens\": 2}\n");
        final CommandRun run = run("--model", checkpoint().toString(), "--prompts", prompts.toString(), "--out",
            output.toString(), "--experts", "--backend-options", "precision=F32");

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        final List<String> lines = answerLines();
        assertEquals("{\"id\":\"a\",\"prompt_tokens\":16,\"tokens\":[" + ANSWER + "],\"finish_reason\":\"length\"," +
            "\"experts\":" + EXPERTS + "}", lines.get(0));
        assertTrue(lines.get(1).startsWith("{\"id\":\"2\",\"prompt_tokens\":16,\"tokens\":[57,242],"), lines.get(1));
        assertTrue(Double.parseDouble(answers().get(0).get("first_token_ms")) > 0.0);
    }

    /** The answer's third token ends a text: by the configuration, unless an option or the prompt says otherwise. */
    @Test
    void shouldEndAnAnswerWithTheEndOfTextOfTheCheckpoint() throws Exception
    {
        final Path model = checkpoint();
        final Path config = model.resolve("config.json");
        Files.writeString(config, Files.readString(config).replace("\"eos_token_id\": null", "\"eos_token_id\": 76"));
        Files.writeString(prompts, "{\"prompt\": " + PROMPT + "}\n{\"prompt\": " + PROMPT + ", \"stop_token\": 74}\n");
        final String[] options = {"--model", model.toString(), "--prompts", prompts.toString(), "--out",
            output.toString(), "--backend-options", "precision=F32", "--max-new-tokens", "5", "--no-journal"};

        assertEquals(ExitCode.OK, run(options).exitCode());
        assertEquals(List.of(
            "{\"id\":\"1\",\"prompt_tokens\":16,\"tokens\":[57,242,76],\"finish_reason\":\"stop\"}",
            "{\"id\":\"2\",\"prompt_tokens\":16,\"tokens\":[57,242,76,74],\"finish_reason\":\"stop\"}"), answerLines());
        final String[] further = Arrays.copyOf(options, options.length + 2);
        further[options.length] = "--stop-token";
        further[options.length + 1] = "-1";
        assertEquals(ExitCode.OK, run(further).exitCode());
        assertEquals("{\"id\":\"1\",\"prompt_tokens\":16,\"tokens\":[57,242,76,74,172],\"finish_reason\":\"length\"}",
            answerLines().get(0));

        Files.writeString(config, Files.readString(config).replace("\"eos_token_id\": 76", "\"eos_token_id\": 300"));
        assertRefused("config.json has 'eos_token_id' with 300, which is not a token of the vocabulary of 300; give the " +
            "unchanged file of the checkpoint, or --stop-token.", run(options));
        assertEquals(ExitCode.OK, run(further).exitCode());
        Files.writeString(model.resolve("generation_config.json"), "{\"eos_token_id\": [4, 242]}");
        assertEquals(ExitCode.OK, run(options).exitCode());
        assertEquals("{\"id\":\"1\",\"prompt_tokens\":16,\"tokens\":[57,242],\"finish_reason\":\"stop\"}",
            answerLines().get(0));
    }

    /** Each token of a list ends an answer, in the checkpoint, the option and the prompt; an empty list has no effect. */
    @Test
    void shouldEndAnAnswerWithAnyOfSeveralTokens() throws Exception
    {
        final Path model = checkpoint();
        final Path config = model.resolve("config.json");
        Files.writeString(
            config, Files.readString(config).replace("\"eos_token_id\": null", "\"eos_token_id\": [299, 76, 3]"));
        Files.writeString(prompts, "{\"prompt\": " + PROMPT + "}\n{\"prompt\": " + PROMPT + ", \"stop_token\": [7, 74]}\n" +
            "{\"prompt\": " + PROMPT + ", \"stop_token\": []}\n");
        final String[] options = {"--model", model.toString(), "--prompts", prompts.toString(), "--out",
            output.toString(), "--backend-options", "precision=F32", "--max-new-tokens", "5", "--no-journal"};

        assertEquals(ExitCode.OK, run(options).exitCode());
        assertEquals(List.of(
            "{\"id\":\"1\",\"prompt_tokens\":16,\"tokens\":[57,242,76],\"finish_reason\":\"stop\"}",
            "{\"id\":\"2\",\"prompt_tokens\":16,\"tokens\":[57,242,76,74],\"finish_reason\":\"stop\"}",
            "{\"id\":\"3\",\"prompt_tokens\":16,\"tokens\":[57,242,76,74,172],\"finish_reason\":\"length\"}"),
            answerLines());
        final String[] further = Arrays.copyOf(options, options.length + 1);
        further[options.length] = "--stop-token=242,8";
        assertEquals(ExitCode.OK, run(further).exitCode());
        assertEquals("{\"id\":\"1\",\"prompt_tokens\":16,\"tokens\":[57,242],\"finish_reason\":\"stop\"}",
            answerLines().get(0));
        further[options.length] = "--stop-token=242,300";
        assertRefused("--stop-token=300 is not in the vocabulary of the model; give token ids from 0 to 299, or -1 alone " +
            "for none.", run(further));
    }

    @ParameterizedTest
    @CsvSource({"--ranks,3", "--steps-in-flight,2", "--step-tokens,7", "--block-size,4", "--router,round-robin",
        "--backend-options,threads=3", "--max-running,1"})
    void shouldAnswerAlikeWhateverTheScheduleIs(final String option, final String value) throws Exception
    {
        assertEquals(ExitCode.OK, run("--no-journal", "--out", output.toString(), "--experts", "--logprobs",
            "--temperature", "0.9", "--top-k", "40", "--top-p", "0.95").exitCode());
        final List<String> expected = answerLines();
        final CommandRun run = run("--out", output.toString(), "--experts", "--logprobs", "--temperature", "0.9",
            "--top-k", "40", "--top-p", "0.95", option, value);

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertEquals(expected, answerLines());
        assertTrue(run.out().contains("verified          yes"), run.out());
    }

    @Test
    void shouldAnswerOtherwiseWithAnotherSeed() throws Exception
    {
        run("--no-journal", "--out", output.toString(), "--temperature", "1");
        final List<String> first = answerLines();
        run("--no-journal", "--out", output.toString(), "--temperature", "1", "--seed", "99");

        assertFalse(first.equals(answerLines()));
        run("--no-journal", "--out", output.toString(), "--model-seed", "2");
        assertFalse(first.equals(answerLines()));
    }

    @Test
    void shouldMakeRandomWeightsForAConfiguration() throws Exception
    {
        final CommandRun run = run("--random-model", checkpoint().resolve("config.json").toString(), "--no-journal");

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertTrue(run.err().contains("olmoe, 188,928 weights as bfloat16"), run.err());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "{\"prompt\": [1, 300]} | line 1, has 'prompt' with 300, which is not between 0 and 299; correct or remove",
        "{\"prompt\": [-1]} | has 'prompt' with -1, which is not between 0 and 299",
        "{\"prompt\": \"hello\"} | line 1, has a prompt of text, and no tokenizer is installed; give the token ids",
        "{\"text\": \"hello\"} | has a prompt of text, and no tokenizer is installed",
        "{\"prompt\": []} | has an empty 'prompt'",
        "{\"id\": 1} | has no 'prompt'",
        "{\"prompt\": [1], \"max_tokens\": 5} | has the unknown field 'max_tokens'",
        "{\"prompt\": [1], \"top_p\": 1.5} | has 'top_p' that is no number between 0 and 1",
        "{\"prompt\": [1], \"top_p\": 0} | the prompt '1': topP=0.0 is not above 0",
        "{\"prompt\": [1], \"temperature\": \"a\"} | has 'temperature' that is no number",
        "{\"prompt\": [1], \"id\": {}} | has an 'id' that is neither a text",
        "{\"prompt\": [1], \"id\": \"a\\ud800\"} | has an 'id' with half of a surrogate pair, which no file can hold",
        "{\"prompt\": null} | has 'prompt' that is not a list of token ids",
        "{\"prompt\": [1], \"max_new_tokens\": 5000} | '1': with its answer it may have 5001 tokens, above the 256 " +
            "positions of the model; give a shorter prompt, or a smaller max_new_tokens.",
        "{\"prompt\": [1], \"stop_token\": [3, 300]} | has 'stop_token' with 300, which is not between 0 and 299",
        "{\"prompt\": [1], \"stop_token\": [-1]} | has 'stop_token' with -1, which is not between 0 and 299",
        "{\"prompt\": [1], \"stop_token\": \"3\"} | has 'stop_token' with 3 where a whole number belongs",
        "{\"prompt\": [1], \"stop_token\": [[3]]} | has 'stop_token' with [ where a whole number belongs",
        "[1] | is a JSON array; write one object per line"})
    void shouldRefuseAPromptThatCannotBeAnswered(final String line, final String sentence) throws Exception
    {
        Files.writeString(prompts, line + "\n");
        final CommandRun run = run("--model", checkpoint().toString(), "--prompts", prompts.toString());

        assertRefused(sentence, run);
    }

    @Test
    void shouldRefuseTwoPromptsWithOneId() throws Exception
    {
        Files.writeString(prompts, "{\"id\": 7, \"prompt\": [1]}\n{\"id\": \"7\", \"prompt\": [1]}\n");

        assertRefused("line 2, has the id '7' of line 1; correct", run("--prompts", prompts.toString()));
    }

    @Test
    void shouldSayThatAnIdIsTheNumberOfALineWithoutOne() throws Exception
    {
        Files.writeString(prompts, "{\"id\": 2, \"prompt\": [1]}\n{\"prompt\": [1]}\n");

        assertRefused("line 2, has no 'id', and its number is the id of line 1; give it an id; correct or remove the line.",
            run("--prompts", prompts.toString()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--model absent | the model absent is not a directory; give a directory with config.json",
        "--model= | the directory of the model has an empty name; give one",
        "--random-model absent | absent does not exist; give",
        "--random-model= | the file '' of the configuration does not exist; give",
        "--model a --random-model b | --model and --random-model exclude each other",
        "--prompts absent | the prompts file absent",
        "--backend gpu9 | --backend=gpu9 is not known; give one of cpu, cuda, or the jar",
        "--backend-options threads | --backend-options has 'threads', which is no NAME=VALUE",
        "--backend-options speed=9 | --backend-options: the cpu backend has no setting 'speed'",
        "--backend-options threads=-1 | threads=-1",
        "--router absent | absent",
        "--kv-blocks 3 | '1': with its answer it may have 66 tokens, above the 32 that the KV blocks of a rank hold; " +
            "give a larger --kv-blocks, or a shorter prompt.",
        "--max-new-tokens 5000 | positions of the model; give a shorter prompt, or a smaller --max-new-tokens.",
        "--kv-blocks 10000000 | the model needs",
        "--ranks 0 | --ranks=0",
        "--steps-in-flight 9 | --steps-in-flight=9",
        "--experts | --experts is for the file of --out, which is not given",
        "--max-new-tokens -1 | --max-new-tokens=-1",
        "--temperature -1 | --temperature=-1",
        "--top-k 5 | --top-k needs --temperature above 0, and it is 0.0; leave it out, or change the other",
        "--top-p 0.5 | --top-p needs --temperature above 0",
        "--seed 3 | --seed needs --temperature above 0",
        "--top-p 0 --temperature 1 | --top-p=0.0 is not above 0 and at most 1",
        "--stop-token 1,x --temperature 1 | --stop-token",
        "--logprobs | --logprobs is for the file of --out, which is not given",
        "--seed -1 | --seed=-1 is not between 0 and 4611686018427387903; give a number in that range",
        "--seed 9223372036854775807 | --seed=9223372036854775807 is not between"})
    void shouldRefuseOptionsThatCannotBeMet(final String options, final String sentence)
    {
        assertRefused(sentence, run(options.split(" ")));
    }

    /** A shorter answer does not help in this case. */
    @Test
    void shouldAskForAShorterPromptIfItAloneIsTooLong() throws Exception
    {
        Files.writeString(prompts, "{\"prompt\": [" + "1,".repeat(299) + "1]}\n");

        assertRefused("with its answer it may have 316 tokens, above the 256 positions of the model; give a shorter " +
            "prompt.\n", run("--model", checkpoint().toString(), "--prompts", prompts.toString()));
    }

    @Test
    void shouldRefuseADamagedCheckpoint() throws Exception
    {
        final Path model = checkpoint();
        final byte[] bytes = Files.readAllBytes(model.resolve("model.safetensors"));
        Files.write(model.resolve("model.safetensors"), Arrays.copyOf(bytes, bytes.length - 1));

        assertRefused("model.safetensors is truncated: its tensors need " + bytes.length + " bytes, and the file has " +
            (bytes.length - 1) + "; copy or download the file again.", run("--model", model.toString()));
    }

    private void assertRefused(final String sentence, final CommandRun run)
    {
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err() + run.out());
        assertTrue(run.err().contains(sentence), run.err());
        assertEquals("", run.out());
        try (var entries = Files.list(directory))
        {
            assertTrue(entries.noneMatch(entry -> entry.getFileName().toString().startsWith("journal-")));
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldReadNullAsAFieldThatIsNotGiven() throws Exception
    {
        Files.writeString(prompts, "{\"id\": null, \"prompt\": [1, 2], \"max_new_tokens\": 3, \"stop_token\": null, " +
            "\"temperature\": null, \"seed\": null, \"top_k\": null, \"top_p\": null, \"conversation\": null}\n");
        final CommandRun run = run("--prompts", prompts.toString(), "--out", output.toString());

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertTrue(answerLines().get(0).startsWith("{\"id\":\"1\",\"prompt_tokens\":2,\"tokens\":["), answerLines().get(0));
    }

    @Test
    void shouldCompressAnswersIfTheFileEndsInGz() throws Exception
    {
        final Path zipped = directory.resolve("answers.jsonl.gz");
        assertEquals(ExitCode.OK, run("--no-journal", "--out", zipped.toString()).exitCode());
        assertEquals(ExitCode.OK, run("--no-journal", "--out", output.toString()).exitCode());

        try (InputStream content = new GZIPInputStream(Files.newInputStream(zipped)))
        {
            final List<String> lines = new String(content.readAllBytes(), StandardCharsets.UTF_8).lines()
                .map(line -> line.replaceAll(TIMES, "")).toList();
            assertEquals(answerLines(), lines);
        }
    }

    @Test
    void shouldRefuseALinkToNothingAsOutput() throws Exception
    {
        final Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("absent"));
        assertRefused("--out=" + link + " is a link to a file that does not exist; give that file, or remove the link.",
            run("--out", link.toString()));
        assertTrue(Files.isSymbolicLink(link));
    }

    @Test
    void shouldWriteCombineWeights() throws Exception
    {
        assertRefused("--combine-weights needs --capture, and it is off; leave it out, or change the other.",
            run("--combine-weights", "--no-capture"));
        final CommandRun run = run("--out", output.toString(), "--experts", "--combine-weights");

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertTrue(run.out().contains("; with combine weights"), run.out());
        final String line = answerLines().get(0);
        assertTrue(line.matches("(?s).*\"experts\":\\[\\[\\[\\d+,.*\"combine_weights\":\\[\\[\\[0\\.\\d+,.*"), line);
    }

    @Test
    void shouldPrintTheReportAsJson() throws Exception
    {
        assertRefused("--json-file and --out are both ", run("--json-file", output.toString(), "--out",
            output.toString()));
        final Path document = directory.resolve("report.json");
        final CommandRun run = run("--json", "--json-file", document.toString(), "--out", output.toString());
        final Map<String, String> report = JsonText.leaves(run.out());

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertEquals(run.out(), Files.readString(document));
        assertEquals("8", report.get("prompts"));
        assertEquals("0", report.get("incomplete"));
        assertEquals("8", report.get("report.requests.completed"));
        assertEquals("true", report.get("report.journal.verified"));
        assertEquals("built-in", report.get("report.settings.run.model"));
    }

    @Test
    void shouldAdviseAgainstThreadsWithoutProcessors()
    {
        final CommandRun run = run("--no-journal", "--backend-options", "threads=64", "--ranks", "2");

        assertTrue(run.err().contains("advice            128 threads of 2 ranks share "), run.err());
    }

    /** The embedding of token 299 is no number: its requests fail, and those that ran beside them do not. */
    @Test
    void shouldFailTheBadPromptAndSayWhy() throws Exception
    {
        final Path model = checkpoint();
        CheckpointFixture.spoilToken(model, 299);
        Files.writeString(prompts, "{\"id\": \"good\", \"prompt\": [1, 2, 3]}\n" +
            "{\"id\": \"bad\", \"prompt\": [4, 299]}\n{\"id\": \"fine\", \"prompt\": [5, 6]}\n");
        final CommandRun run = run("--model", model.toString(), "--prompts", prompts.toString(), "--out",
            output.toString(), "--max-new-tokens", "4");

        final String reason = "the model computed what is no number: ";
        assertEquals(ExitCode.CHECK_FAILED, run.exitCode(), run.err());
        assertTrue(run.err().contains("signalbox run: the prompt 'bad' failed: " + reason), run.err());
        assertTrue(run.err().contains("1 of 3 prompts have no complete answer"), run.err());
        assertEquals(List.of("length", "failed", "length"),
            answers().stream().map(answer -> answer.get("finish_reason")).toList());
        assertTrue(answers().get(1).get("failure").startsWith(reason), answers().get(1).toString());
    }
}
