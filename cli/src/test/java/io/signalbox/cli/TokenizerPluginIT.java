// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The jar of the module tokenizer as a plug-in, in a process of a user: a native library is loaded once per process. */
@Timeout(300)
class TokenizerPluginIT
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));
    private static final Path JAR = ROOT.resolve("tokenizer/target/signalbox-tokenizer.jar");
    private static final Path FILE =
        ROOT.resolve("tokenizer/src/test/resources/io/signalbox/tokenizer/tokenizer.json");

    @TempDir
    private Path directory;

    @Test
    void shouldServePromptsOfTextWithoutANetwork() throws Exception
    {
        Assumptions.assumeTrue(Files.exists(JAR), "skipped: " + JAR + " does not exist; 'mvn verify' makes it");
        final Path prompts = Files.writeString(directory.resolve("prompts.jsonl"),
            "{\"text\": \"hello world\"}\n{\"prompt\": [0, 261, 266]}\n");
        final Path output = directory.resolve("answers.jsonl");
        final Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "@" + ROOT.resolve("scripts/jvm.flags"), "-cp", System.getProperty("java.class.path"), "io.signalbox.cli.Main",
            "run", "--no-journal", "--max-new-tokens", "8", "--plugins", JAR.toString(), "--tokenizer", FILE.toString(),
            "--prompts", prompts.toString(), "--out", output.toString()).redirectErrorStream(true).start();
        final String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        final int exitCode = process.waitFor();
        Assumptions.assumeFalse(printed.contains("the tokenizer's native library cannot be loaded"), "skipped: " + printed);

        assertEquals(ExitCode.OK, exitCode, printed);
        assertTrue(!printed.contains("http"), printed);
        final List<Map<String, String>> answers = Files.readAllLines(output).stream().map(JsonText::leaves).toList();
        assertEquals("3", answers.get(0).get("prompt_tokens"));
        assertEquals(answers.get(1).get("text"), answers.get(0).get("text"));
        assertEquals(answers.get(1).get("tokens[7]"), answers.get(0).get("tokens[7]"));
    }
}
