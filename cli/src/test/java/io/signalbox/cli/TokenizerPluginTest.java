// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Prompts of text, with a tokenizer that needs no native library. */
@Timeout(300)
class TokenizerPluginTest
{
    private static final String OPEN = "return new Tokenizer();";
    private static final String ENCODE = "return text.codePoints().toArray();";

    @TempDir
    private Path directory;

    private CommandRun run(final String prompts, final String... options) throws IOException
    {
        final List<String> arguments = new ArrayList<>(List.of("run", "--no-journal", "--max-new-tokens", "5", "--prompts",
            Files.writeString(directory.resolve("prompts.jsonl"), prompts).toString(), "--out",
            directory.resolve("answers.jsonl").toString()));
        arguments.addAll(List.of(options));
        return CommandRun.of(arguments);
    }

    private List<Map<String, String>> answers() throws IOException
    {
        return Files.readAllLines(directory.resolve("answers.jsonl")).stream().map(JsonText::leaves).toList();
    }

    private static void assertRefused(final CommandRun run, final String sentence)
    {
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertTrue(run.err().contains(sentence), run.err());
        assertEquals("", run.out());
    }

    @Test
    void shouldAnswerTextAsItAnswersItsTokensAndShowTheText() throws IOException
    {
        final String jar = PluginJar.tokenizer(directory, OPEN, ENCODE).toString();
        final CommandRun run = run("{\"text\": \"abc\"}\n{\"prompt\": [97, 98, 99]}\n{\"prompt\": \"abc\"}\n",
            "--plugins", jar, "--tokenizer", "any.json");
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        final List<Map<String, String>> answers = answers();
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < 5; i++)
        {
            text.appendCodePoint(Integer.parseInt(answers.get(0).get("tokens[" + i + "]")));
        }
        for (final Map<String, String> answer : answers)
        {
            assertEquals("3", answer.get("prompt_tokens"), answer.toString());
            assertEquals(answers.get(0).get("tokens[4]"), answer.get("tokens[4]"), answer.toString());
            assertEquals(text.toString(), answer.get("text"), answer.toString());
        }
    }

    @Test
    void shouldWriteNoTextWithoutATokenizer() throws IOException
    {
        assertEquals(ExitCode.OK, run("{\"prompt\": [97, 98, 99]}\n").exitCode());
        assertFalse(answers().get(0).containsKey("text"), answers().toString());
    }

    @Test
    void shouldRefuseATextThatCannotBeEncoded() throws IOException
    {
        assertRefused(run("{\"text\": \"abc\"}\n"), "prompts.jsonl, line 1, has a prompt of text, and no tokenizer is " +
            "installed; give the token ids of the prompt as a list, or add the tokenizer with --plugins " +
            "tokenizer/target/signalbox-tokenizer.jar, which 'mvn package' makes.");
        assertRefused(run("{\"prompt\": [5]}\n", "--tokenizer", "any.json"), "no tokenizer is installed; give the");
        final String jar = PluginJar.tokenizer(directory, OPEN, ENCODE).toString();
        assertRefused(run("{\"text\": \"abc\"}\n", "--plugins", jar),
            "and the model has no tokenizer; give its tokenizer.json with --tokenizer.");
        final String[] given = {"--plugins", jar, "--tokenizer", "any.json"};
        assertRefused(run("{\"text\": \"\"}\n", given), "line 1, has a 'text' without any token");
        assertRefused(run("{\"text\": 7}\n", given), "line 1, has a 'text' that is no text");
        assertRefused(run("{\"text\": \"a\", \"prompt\": [1]}\n", given), "line 1, has both a 'prompt' and a 'text'");
        assertRefused(run("{\"prompt\": [1]}\n{\"text\": \"\u20ac\"}\n", given), "line 2, has a prompt of text, and the " +
            "tokenizer of any.json made the token 8364 of it, which is not in the vocabulary of the model");
    }

    @Test
    void shouldNameATokenizerThatThrows() throws IOException
    {
        final String opens = PluginJar.tokenizer(directory, "throw new IllegalStateException(\"no\");", ENCODE).toString();
        assertRefused(run("{\"text\": \"abc\"}\n", "--plugins", opens, "--tokenizer", "any.json"),
            "the tokenizer of any.json threw java.lang.IllegalStateException: no when it opened its file; report it");
        final String encodes = PluginJar.tokenizer(directory, OPEN, "throw new Error(\"no\");").toString();
        assertRefused(run("{\"text\": \"abc\"}\n", "--plugins", encodes, "--tokenizer", "any.json"),
            "the tokenizer of any.json threw java.lang.Error: no when it encoded a text; report it");
        final String none = PluginJar.tokenizer(directory, "return null;", ENCODE).toString();
        assertRefused(run("{\"text\": \"abc\"}\n", "--plugins", none, "--tokenizer", "any.json"),
            "the tokenizer of any.json returned null when it opened its file; report it");
        final String nothing = PluginJar.tokenizer(directory, OPEN, "return null;").toString();
        assertRefused(run("{\"text\": \"abc\"}\n", "--plugins", nothing, "--tokenizer", "any.json"),
            "the tokenizer of any.json returned null when it encoded a text; report it");
    }

    /** The answers are written by then. */
    @Test
    void shouldNameATokenizerThatDoesNotClose() throws IOException
    {
        final String jar = PluginJar.tokenizer(directory, OPEN, ENCODE, "throw new Error(\"stuck\");").toString();
        final CommandRun run = run("{\"text\": \"abc\"}\n", "--plugins", jar, "--tokenizer", "any.json");
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertTrue(run.err().endsWith("the tokenizer of any.json threw java.lang.Error: stuck when it was closed; report " +
            "it to the author of the tokenizer, or give token ids." + System.lineSeparator()), run.err());
        assertEquals("3", answers().get(0).get("prompt_tokens"));
        assertTrue(run.out().contains("requests"), run.out());
    }

    @Test
    void shouldRefuseTwoTokenizers() throws IOException
    {
        final Path first = PluginJar.tokenizer(directory, OPEN, ENCODE);
        final Path second = Files.copy(first, directory.resolve("second.jar"));
        assertRefused(run("{\"text\": \"abc\"}\n", "--plugins", first + "," + second, "--tokenizer", "any.json"),
            "two tokenizers are installed, Letters and Letters; leave one of them out.");
    }
}
